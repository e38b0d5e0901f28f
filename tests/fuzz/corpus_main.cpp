#include "fuzz_target.hpp"

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

namespace {

std::vector<std::uint8_t> contents(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    in.exceptions(std::ios::badbit);
    return {std::istreambuf_iterator<char>{in}, {}};
}

bool passes(const std::filesystem::path& file) {
    const std::vector<std::uint8_t> input = contents(file);
    try {
        (void)LLVMFuzzerTestOneInput(input.data(), input.size());
        return true;
    } catch (const std::exception& broken) {
        std::cerr << file.string() << ": " << broken.what() << '\n';
        return false;
    }
}

} // namespace

// A folder without inputs fails, because a test that tries nothing proves nothing.
int main(int argc, char** argv) {
    int tried = 0;
    int failed = 0;
    for (int i = 1; i < argc; ++i) {
        for (const auto& entry : std::filesystem::directory_iterator{argv[i]}) {
            ++tried;
            failed += passes(entry.path()) ? 0 : 1;
        }
    }
    std::cout << tried << " inputs, " << failed << " failed\n";
    return tried > 0 && failed == 0 ? 0 : 1;
}

#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

/// A fuzz target: libFuzzer calls it with inputs of its own making, the corpus test with those of a folder.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace ferry::fuzz {

/// An input for which ferry does not do what it should. Nobody catches it under libFuzzer, which takes that for a crash
/// and keeps the input.
class broken_property : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

inline void require(bool holds, const char* property) {
    if (!holds) {
        throw broken_property{property};
    }
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) noexcept {
    return {reinterpret_cast<const char*>(data), size};
}

} // namespace ferry::fuzz

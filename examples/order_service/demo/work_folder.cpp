#include "work_folder.hpp"

#include <chrono>
#include <cstdlib>
#include <format>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <system_error>

namespace shop {

namespace {

std::filesystem::path make_temporary() {
    std::string name = std::filesystem::temp_directory_path() / "order_service-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error{"cannot make a folder below " + std::filesystem::temp_directory_path().string()};
    }
    return name;
}

std::filesystem::path make(const std::string& name) {
    std::error_code failure;
    std::filesystem::create_directories(name, failure);
    if (failure) {
        throw std::runtime_error{"cannot make the folder " + name + ": " + failure.message()};
    }
    return name;
}

/// Lines of several threads, one at a time.
struct log_file {
    std::mutex mutex;
    std::ofstream out;
};

} // namespace

work_folder::work_folder(const std::string& name)
    : path_{name.empty() ? make_temporary() : make(name)}, is_temporary_{name.empty()} {}

work_folder::~work_folder() {
    if (!is_temporary_) {
        return;
    }
    if (keep_) {
        std::cerr << "order_service: databases and logs are in " << path_.string() << '\n';
        return;
    }
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

ferry::log_function work_folder::log(const std::string& name) const {
    const auto file = std::make_shared<log_file>();
    file->out.open(path_ / name, std::ios::app);
    if (!file->out) {
        throw std::runtime_error{"cannot write to " + (path_ / name).string()};
    }
    return [file](ferry::log_level level, std::string_view line) {
        const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
        const std::scoped_lock lock{file->mutex};
        file->out << std::format("{:%T} {} {}\n", now, ferry::to_string(level), line) << std::flush;
    };
}

} // namespace shop

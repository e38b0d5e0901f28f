#include "file_lock.hpp"

#include <ferry/store.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace ferry::sqlite {

namespace {

std::string reason(int code) { return std::generic_category().message(code); }

int open_lock(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) {
        throw store_error{"\"" + path + "\" cannot be made: " + reason(errno) +
                          ". The folder of an SQLite store must be there and writable"};
    }
    return file;
}

std::string who_has(int file) {
    std::array<char, 32> text{};
    const ssize_t size = ::pread(file, text.data(), text.size() - 1, 0);
    const long process = size > 0 ? std::strtol(text.data(), nullptr, 10) : 0;
    if (process == 0) {
        return "another process";
    }
    return process == ::getpid() ? "another store of this process" : "process " + std::to_string(process);
}

// Only for the text of the error others get; the lock itself does not depend on it.
void sign(int file) {
    const std::string process = std::to_string(::getpid()) + "\n";
    if (::ftruncate(file, 0) != 0 || ::pwrite(file, process.data(), process.size(), 0) < 0) {
        return;
    }
}

} // namespace

file_lock::file_lock(const std::string& database) : file_{open_lock(database + ".ferry-lock")} {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
        const std::string owner = errno == EWOULDBLOCK ? who_has(file_) + " has it" : reason(errno);
        ::close(file_);
        throw store_error{"the SQLite database \"" + database + "\" cannot be had alone: " + owner +
                          ". It serves one process at a time: stop the other one, give this service a file of its "
                          "own, or use PostgreSQL (the lock is on \"" +
                          database + ".ferry-lock\")"};
    }
    sign(file_);
}

file_lock::~file_lock() { ::close(file_); }

} // namespace ferry::sqlite

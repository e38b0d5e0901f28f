#pragma once

#include <support/eventually.hpp>
#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ferry::testing {

/// A program a test starts, talks with line by line, and ends.
class child_process {
public:
    using line_function = std::function<void(std::string line)>;

    /// `read` gets what it prints, on a thread of its own. It inherits no open files.
    child_process(std::vector<std::string> words, line_function read);
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    /// Ends its standard input, and waits for it.
    ~child_process();

    void write(std::string_view line) const;
    void signal(int number) const;
    /// Waits until it has ended: its exit code, or 128 and the signal. Within patience, or it is killed.
    int wait();

private:
    void read_lines(int from, const line_function& read);

    pid_t id_ = -1;
    int input_ = -1;
    watched<bool> silent_{false}; ///< its standard output has ended
    int ended_ = -1;
    std::jthread reader_;
};

} // namespace ferry::testing

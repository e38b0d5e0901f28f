#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace ferry::testing {

/// A program that runs beside the test, and is killed with it at the latest.
class child_process {
public:
    explicit child_process(std::vector<std::string> command);
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;
    ~child_process();

    /// What waitpid said of its end, as soon as it has ended.
    [[nodiscard]] std::optional<int> ended();
    [[nodiscard]] bool was_killed();
    [[nodiscard]] bool ended_well();
    void kill();
    void ask_to_end();

private:
    void signal_it(int number);

    pid_t id_ = 0;
    std::optional<int> status_;
};

} // namespace ferry::testing

#include "child_process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace ferry::testing {

child_process::child_process(std::vector<std::string> command) {
    std::vector<char*> arguments;
    for (std::string& each : command) {
        arguments.push_back(each.data());
    }
    arguments.push_back(nullptr);
    if (::posix_spawn(&id_, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
        throw std::runtime_error{"cannot start " + command[0]};
    }
}

child_process::~child_process() {
    if (!ended()) {
        kill();
        ::waitpid(id_, nullptr, 0);
    }
}

std::optional<int> child_process::ended() {
    int status = 0;
    if (!status_ && ::waitpid(id_, &status, WNOHANG) == id_) {
        status_ = status;
    }
    return status_;
}

bool child_process::was_killed() {
    const std::optional<int> status = ended();
    return status && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL;
}

bool child_process::ended_well() {
    const std::optional<int> status = ended();
    return status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
}

void child_process::kill() { signal_it(SIGKILL); }
void child_process::ask_to_end() { signal_it(SIGTERM); }

void child_process::signal_it(int number) {
    if (!ended()) {
        ::kill(id_, number);
    }
}

} // namespace ferry::testing

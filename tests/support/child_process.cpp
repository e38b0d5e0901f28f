#include "child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace ferry::testing {

namespace {

struct pipe_ends {
    pipe_ends() {
        std::array<int, 2> both{};
        if (::pipe2(both.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error{"there is no pipe left"};
        }
        out = both[0];
        in = both[1];
    }
    int out;
    int in;
};

pid_t spawn(std::vector<std::string>& words, int standard_input, int standard_output) {
    std::vector<char*> arguments;
    for (std::string& each : words) {
        arguments.push_back(each.data());
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, standard_input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, standard_output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    pid_t started = -1;
    const int failure = ::posix_spawnp(&started, arguments.front(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        throw std::runtime_error{words.front() + " cannot be started"};
    }
    return started;
}

} // namespace

child_process::child_process(std::vector<std::string> words, line_function read) {
    const pipe_ends input;
    const pipe_ends output;
    id_ = spawn(words, input.out, output.in);
    ::close(input.out);
    ::close(output.in);
    input_ = input.in;
    reader_ = std::jthread{[this, from = output.out, read = std::move(read)] { read_lines(from, read); }};
}

child_process::~child_process() { (void)wait(); }

void child_process::write(std::string_view line) const {
    const std::string whole = std::string{line} + "\n";
    if (::write(input_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) {
        throw std::runtime_error{"the program does not listen any more"};
    }
}

void child_process::signal(int number) const { ::kill(id_, number); }

int child_process::wait() {
    if (id_ == -1) {
        return ended_;
    }
    ::close(input_);
    if (!silent_.eventually([](bool ended) { return ended; })) {
        signal(SIGKILL);
    }
    int status = 0;
    ::waitpid(std::exchange(id_, -1), &status, 0);
    ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended_;
}

void child_process::read_lines(int from, const line_function& read) {
    std::string line;
    std::array<char, 65536> part{};
    for (ssize_t count = 0; (count = ::read(from, part.data(), part.size())) > 0;) {
        for (const char each : std::string_view{part.data(), static_cast<std::size_t>(count)}) {
            if (each == '\n') {
                read(std::exchange(line, {}));
            } else {
                line += each;
            }
        }
    }
    ::close(from);
    silent_.change([](bool& ended) { ended = true; });
}

} // namespace ferry::testing

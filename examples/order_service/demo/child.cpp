#include "child.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <utility>

namespace shop {

namespace {

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// Between fork and exec nothing may be done that takes a lock: other threads may have held it.
[[noreturn]] void become(char* const* words) {
    ::setpgid(0, 0); // Ctrl-C in the terminal is for the parent, who asks its children to end when it is time
    ::sigset_t requests{};
    ::sigemptyset(&requests);
    ::sigaddset(&requests, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &requests, nullptr); // until note_interruptions: who is asked before still ends in peace
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::execv("/proc/self/exe", words);
    ::_exit(127);
}

} // namespace

child::child(const std::vector<std::string>& arguments) {
    std::vector<char*> words{const_cast<char*>("order_service")};
    for (const std::string& each : arguments) {
        words.push_back(const_cast<char*>(each.c_str()));
    }
    words.push_back(nullptr);
    id_ = ::fork();
    if (id_ == 0) {
        become(words.data());
    }
    if (id_ < 0) {
        throw std::runtime_error{"cannot start another process"};
    }
}

child::child(child&& other) noexcept : id_{std::exchange(other.id_, 0)} {}

child& child::operator=(child&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
}

child::~child() { stop(); }

void child::kill() {
    if (id_ != 0) {
        ::kill(id_, SIGKILL);
        wait();
    }
}

int child::stop() {
    if (id_ == 0) {
        return 0;
    }
    ::kill(id_, SIGTERM);
    return wait();
}

std::optional<int> child::exit_code() {
    int status = 0;
    if (id_ == 0 || ::waitpid(id_, &status, WNOHANG) != id_) {
        return std::nullopt;
    }
    id_ = 0;
    return code_of(status);
}

int child::wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {}
    id_ = 0;
    return code_of(status);
}

} // namespace shop

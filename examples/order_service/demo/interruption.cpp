#include "interruption.hpp"

#include <csignal>

namespace shop {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void note(int signal) {
    interrupted = 1;
    std::signal(signal, SIG_DFL);
}

} // namespace

void note_interruptions() {
    std::signal(SIGINT, &note);
    std::signal(SIGTERM, &note);
    std::signal(SIGPIPE, SIG_IGN); // customers hang up
    ::sigset_t requests{};
    ::sigemptyset(&requests);
    ::sigaddset(&requests, SIGTERM);
    ::pthread_sigmask(SIG_UNBLOCK, &requests, nullptr); // a child is born with it blocked
}

bool is_interrupted() { return interrupted != 0; }

} // namespace shop

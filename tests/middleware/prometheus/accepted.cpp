#include "accepted.hpp"

#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>

namespace {

std::atomic<int> accepted{0};
std::atomic<int> failed{0};
std::atomic<bool> none_left{false};

// The kernel refuses: it may give out none.
int accept_without_descriptors(int listener, sockaddr* peer, socklen_t* size) {
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
    const int connection = ::accept4(listener, peer, size, 0);
    const int failure = errno;
    ::setrlimit(RLIMIT_NOFILE, &before);
    errno = failure;
    return connection;
}

} // namespace

// Asio calls this one, which counts, in place of the C library's.
extern "C" int accept(int listener, sockaddr* peer, socklen_t* size) {
    const int connection =
        none_left ? accept_without_descriptors(listener, peer, size) : ::accept4(listener, peer, size, 0);
    if (connection >= 0) {
        ++accepted;
    } else if (errno == EMFILE) {
        ++failed;
    }
    return connection;
}

namespace ferry::testing {

accept_counts accepts_so_far() { return {.accepted = accepted, .failed = failed}; }

no_descriptors_to_accept_with::no_descriptors_to_accept_with() { none_left = true; }
no_descriptors_to_accept_with::~no_descriptors_to_accept_with() { none_left = false; }

} // namespace ferry::testing

#include "notifier.hpp"

#include "flight.hpp"

#include <ferry/postgres/errors.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace ferry::postgres {

namespace {

constexpr std::chrono::milliseconds between_words{50};
constexpr std::chrono::milliseconds before_reconnecting{1000};

void drain(int bell) noexcept {
    std::uint64_t rings = 0;
    static_cast<void>(!read(bell, &rings, sizeof rings));
}

} // namespace

notifier::notifier(const target& server, const names& names, std::function<void()> on_rows_arrived, log_function log)
    : server_{server},
      channel_{names.channel()},
      on_rows_arrived_{std::move(on_rows_arrived)},
      log_{std::move(log)},
      bell_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
    if (bell_ < 0) {
        throw store_error{"no eventfd is left for the thread that listens for rows of other processes", true};
    }
    thread_ = std::thread{[this] { run(); }};
}

notifier::~notifier() {
    stopping_ = true;
    eventfd_write(bell_, 1);
    thread_.join();
    close(bell_);
}

void notifier::rows_committed() noexcept {
    if (!has_news_.exchange(true)) {
        eventfd_write(bell_, 1);
    }
}

void notifier::run() {
    while (!stopping_) {
        try {
            const raw_connection connection = server_.connect();
            serve(connection.get());
        } catch (const std::exception& problem) {
            tell(log_level::warning,
                 std::string{"hears nothing of rows of other processes for a moment: "} + problem.what());
            wait(-1, static_cast<int>(before_reconnecting.count()));
        }
    }
}

void notifier::serve(PGconn* connection) {
    // Nobody waits for these commits, so nobody needs them on the disk.
    run_script(connection, "set synchronous_commit = off; listen " + quoted_identifier(channel_),
               "listen for rows of other processes");
    on_rows_arrived_(); // some may have come while nobody listened
    while (!stopping_) {
        if (has_heard(connection)) {
            on_rows_arrived_();
        }
        if (has_news_ && until_next_word() == 0) {
            speak(
                connection); // and listens again before it waits: words that came meanwhile are off the socket already
        } else {
            wait(PQsocket(connection), has_news_ ? until_next_word() : -1);
        }
    }
    if (has_news_) { // of what nobody here will send any more
        speak(connection);
    }
}

bool notifier::has_heard(PGconn* connection) {
    if (PQconsumeInput(connection) == 0) {
        throw_sql_error("listen for rows of other processes", PQerrorMessage(connection), "08006");
    }
    bool heard = false;
    while (PGnotify* const word = PQnotifies(connection)) {
        heard = heard || word->be_pid != PQbackendPID(connection);
        PQfreemem(word);
    }
    return heard;
}

void notifier::speak(PGconn* connection) {
    has_news_ = false; // before: what is committed from here on is news again
    silent_until_ = std::chrono::steady_clock::now() + between_words;
    run_script(connection, "notify " + quoted_identifier(channel_), "tell other processes of rows");
}

void notifier::wait(int socket, int milliseconds) const {
    std::array<pollfd, 2> sources{pollfd{.fd = bell_, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = socket, .events = POLLIN, .revents = 0}};
    poll(sources.data(), socket < 0 ? 1 : 2, milliseconds);
    drain(bell_);
}

int notifier::until_next_word() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(silent_until_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::max(left.count(), std::chrono::milliseconds::rep{0}));
}

void notifier::tell(log_level level, const std::string& text) const {
    if (log_) {
        log_(level, "the PostgreSQL store " + text);
    }
}

} // namespace ferry::postgres

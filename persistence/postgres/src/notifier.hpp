#pragma once

#include "names.hpp"
#include "target.hpp"

#include <ferry/log.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace ferry::postgres {

/// Tells other processes that rows were committed to the outbox or the schedule, and hears of theirs. It has a thread
/// and a connection of its own: nobody's transaction waits for it. However many commits there are, it speaks once in 50
/// ms.
class notifier {
public:
    notifier(const target& server, const names& names, std::function<void()> on_rows_arrived, log_function log);
    notifier(const notifier&) = delete;
    notifier& operator=(const notifier&) = delete;
    ~notifier();

    /// From any thread; does not wait.
    void rows_committed() noexcept;

private:
    void run();
    void serve(PGconn* connection);
    [[nodiscard]] bool has_heard(PGconn* connection);
    void speak(PGconn* connection);
    /// Waits for the server, for a commit, or for `milliseconds`.
    void wait(int socket, int milliseconds) const;
    [[nodiscard]] int until_next_word() const;
    void tell(log_level level, const std::string& text) const;

    const target& server_;
    std::string channel_;
    std::function<void()> on_rows_arrived_;
    log_function log_;
    int bell_; // an eventfd, so that the thread can wait for it and for the server at once
    std::atomic<bool> has_news_{false};
    std::atomic<bool> stopping_{false};
    std::chrono::steady_clock::time_point silent_until_;
    std::thread thread_;
};

} // namespace ferry::postgres

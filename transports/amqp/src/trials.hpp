#pragma once

#include "confirm_window.hpp"
#include "connection.hpp"

#include <amqpcpp.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ferry::amqp {

/// Sends what the broker may refuse on a channel of its own, one message at a time: the broker closes a channel on
/// which something is published to an exchange that is missing or forbidden, and whatever else is on its way there is
/// lost with it. That is the first message to an exchange nobody has declared here, and whatever was on its way when
/// the broker closed the channel of all. Lives on the I/O thread.
class trials {
public:
    struct outcome {
        std::function<void(outgoing)> ready;               ///< it may leave with all others
        std::function<void(outgoing, send_outcome)> ended; ///< it was tried, and that became of it
        std::function<void()> answered;                    ///< there may be some to send now
    };

    explicit trials(outcome ends) : ends_{std::move(ends)} {}

    [[nodiscard]] bool needs(const outgoing& message) const noexcept {
        return message.suspect || (message.exchange != no_exchange && !known_.contains(message.exchange));
    }
    /// Others have to wait, or they would overtake it.
    [[nodiscard]] bool hold_up_all() const noexcept { return suspects_ > 0; }
    void take(outgoing message);
    /// It was declared on this connection.
    void know(std::string_view exchange);

    void connected(connection& fresh) noexcept { connection_ = &fresh; }
    /// The next broker may know other exchanges. Puts what waits in front of `waiting`, and what was on its way behind
    /// `unconfirmed`.
    void disconnected(std::deque<outgoing>& waiting, std::vector<outgoing>& unconfirmed);
    /// Appends what has waited too long.
    void take_late(std::chrono::steady_clock::time_point now, std::vector<outgoing>& late);

private:
    void go_on();
    void open();
    void close() noexcept;
    void answered(bool accepted);
    void refused(const std::string& answer);
    void end_current(const send_outcome& told);
    [[nodiscard]] std::vector<outgoing> taken_from_waiting(std::size_t exchange);

    const outcome ends_;
    connection* connection_ = nullptr;
    std::unordered_set<std::size_t> known_; ///< by the hashes of their names
    std::deque<outgoing> waiting_;
    std::optional<outgoing> current_; ///< on its way
    std::size_t suspects_ = 0;
    std::unique_ptr<AMQP::Channel> channel_;
    bool open_ = false;
    int round_ = 0; ///< a channel each
    buffer frames_;
};

} // namespace ferry::amqp

#pragma once

#include "confirm_window.hpp"
#include "connection.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ferry::amqp {

class trial;

/// Sends what the broker may refuse, each message on a channel of its own: the broker closes a channel on which
/// something is published to an exchange that is missing or forbidden, and whatever else is on its way there is lost
/// with it. That is the first message to an exchange nobody has declared here, and whatever was on its way when the
/// broker closed the channel of all. Others do not wait for it, but for those to the same exchange, and those only
/// until the broker has taken it: the confirm may come much later. Lives on the I/O thread.
class trials {
public:
    struct outcome {
        std::function<void(std::vector<outgoing>)> ready;  ///< they may leave with all others, and before them
        std::function<void(outgoing, send_outcome)> ended; ///< it was tried, and that became of it
        std::function<void()> answered;                    ///< there may be some to send now
    };

    explicit trials(outcome ends) : ends_{std::move(ends)} {}
    trials(const trials&) = delete;
    trials& operator=(const trials&) = delete;
    ~trials();

    [[nodiscard]] bool needs(const outgoing& message) const noexcept {
        return message.suspect || (message.exchange != no_exchange && !known_.contains(message.exchange));
    }
    /// Others have to wait, or they would overtake a suspect.
    [[nodiscard]] bool hold_up_all() const noexcept { return suspects_.current != nullptr; }
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
    friend class trial;
    using trial_ptr = std::shared_ptr<trial>;

    /// One is tried, and the others wait behind it.
    struct lane {
        trial_ptr current;
        std::deque<outgoing> waiting;
    };

    [[nodiscard]] lane& lane_of(const outgoing& message);
    void try_next(lane& in);
    void passed(const trial_ptr& which);
    void answered(const trial_ptr& which, bool accepted);
    void refused(const trial_ptr& which, const std::string& answer);
    void refuse_lane(const trial_ptr& which, const std::string& answer, const send_outcome& told);

    const outcome ends_;
    connection* connection_ = nullptr;
    std::unordered_set<std::size_t> known_; ///< by the hashes of their names
    lane suspects_;
    std::unordered_map<std::size_t, lane> lanes_; ///< of exchanges that are not known
    std::vector<trial_ptr> unconfirmed_;          ///< the broker has taken them
};

} // namespace ferry::amqp

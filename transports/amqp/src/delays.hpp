#pragma once

#include "confirm_window.hpp"
#include "connection.hpp"
#include "declaration.hpp"
#include "delay_levels.hpp"

#include <ferry/address.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ferry::amqp {

/// Makes sure that what a delayed message passes through is there before it leaves: the levels of queues, and the
/// binding to its destination at their end, which the broker refuses when there is no such destination. Lives on the
/// I/O thread.
class delays {
public:
    struct outcome {
        std::function<void(outgoing)> ready;                    ///< it may leave
        std::function<void(outgoing, send_outcome)> impossible; ///< it may not
        std::function<void()> answered;                         ///< there may be some to send now
    };

    delays(const transport_options& options, outcome ends);

    [[nodiscard]] const delay_names& names() const noexcept { return names_; }
    /// Takes one with a delay.
    void prepare(outgoing message);
    /// Somebody may have taken away what was there: everything that was ever needed is asked for again, since messages
    /// may be on their way through it.
    void refresh();
    void connected(connection& fresh);
    void disconnected();
    /// Appends what has waited too long.
    void take_late(std::chrono::steady_clock::time_point now, std::vector<outgoing>& late);
    /// Nothing more is prepared; what waits comes back.
    void stop(std::vector<outgoing>& waiting);

private:
    void go_on();
    void end_question();
    void pass_on_what_is_ready();
    [[nodiscard]] int levels_needed() const;
    void want_all_again();
    void forget_what_is_there();
    void declare_levels(int up_to);
    void bind_next_overdue();
    void bind(const address& destination);
    void refused(const address& destination, const std::exception_ptr& why);

    const transport_options& options_;
    const outcome ends_;
    const delay_names names_;
    connection* connection_ = nullptr;
    std::shared_ptr<declaration> asking_;
    int round_ = 0;  ///< what was asked for in an earlier one counts no more
    int levels_ = 0; ///< how many are declared
    std::set<std::string> bound_;
    int levels_ever_ = 0;
    std::map<std::string, address> bound_ever_;
    int overdue_levels_ = 0; ///< of those that are to be declared again, whether a message waits for them or not
    std::vector<address> overdue_;
    std::vector<outgoing> waiting_;
};

} // namespace ferry::amqp

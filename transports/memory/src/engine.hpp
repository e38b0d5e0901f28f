#pragma once

#include "directory.hpp"
#include "session.hpp"

#include <ferry/memory/broker.hpp>
#include <ferry/timer_queue.hpp>
#include <ferry/transport.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::memory {

/// Appends a sentence for each option no broker can work with.
void check(const broker_options& options, std::vector<std::string>& problems);

/// What a broker does, away from the header its users include.
class engine {
public:
    engine(const broker_options& options, clock now);

    void declare(const topology& wanted, const session& owner);
    void send(const envelope& message, send_callback on_outcome, const std::shared_ptr<session>& sender);
    [[nodiscard]] duration send_timeout() const noexcept { return options_.send_timeout; }
    /// Ends everything that belongs to a transport that stops.
    void release(const session& stopping);

    /// Where messages still are, for people: "2 in billing.order-placed, 1 waiting for their time"; empty when nowhere.
    [[nodiscard]] std::string leftovers() const;

    /// The queue of that name; nullptr when there is none.
    [[nodiscard]] std::shared_ptr<queue> find(std::string_view name) const { return routes_->find_queue(name); }
    /// The queue of that name; throws when there is none.
    [[nodiscard]] std::shared_ptr<queue> get(std::string_view name) const;
    [[nodiscard]] std::size_t delayed() const {
        const std::scoped_lock lock{delayed_mutex_};
        return delayed_messages_;
    }

private:
    void delay(const envelope& message, send_callback on_outcome);
    [[nodiscard]] bool make_room_for_delayed(std::size_t size);
    void deliver_due(const packed_envelope& message, const address& destination);

    const broker_options options_;
    const clock now_;
    mutable std::mutex delayed_mutex_;
    std::size_t delayed_messages_ = 0;
    std::size_t delayed_bytes_ = 0;
    std::shared_ptr<routes> routes_ = std::make_shared<routes>();
    directory directory_{routes_};
    timer_queue timer_{now_}; // last, so that its thread ends while everything it may touch is there
};

} // namespace ferry::memory

#pragma once

#include <ferry/bus_builder.hpp>
#include <ferry/memory/broker.hpp>
#include <ferry/testing/manual_clock.hpp>
#include <ferry/testing/probe.hpp>
#include <ferry/testing/recorder.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ferry::testing {

/// A bus for tests of handlers and policies: real pipelines on a memory transport, a clock that the test moves, and
/// probes for everything that happens. Nothing sleeps, so that a redelivery after thirty minutes takes a millisecond.
///
///     ferry::testing::harness harness{[](ferry::bus_builder& builder) { builder.handle<order_placed>(billing{}); }};
///     harness.bus().publish(order_placed{"17"});
///     EXPECT_EQ(harness.published<invoice_created>().first().order_id, "17");
class harness {
public:
    /// Builds and starts a bus with what `configure` registers. Transport, clock and log are the harness's own.
    explicit harness(const std::function<void(bus_builder&)>& configure, std::string service = "test");
    harness(const harness&) = delete;
    harness& operator=(const harness&) = delete;
    ~harness();

    [[nodiscard]] ferry::bus& bus() noexcept { return *bus_; }
    [[nodiscard]] manual_clock& clock() noexcept { return clock_; }
    /// Its queues, to look into.
    [[nodiscard]] const memory::broker& broker() const noexcept { return *broker_; }
    /// Ends the bus, so that what has not happened will not happen any more.
    stop_report stop() { return bus_->stop(); }

    /// What has left, by kind. What a failed handler would have sent is not among it.
    template <typename Message> [[nodiscard]] probe<Message> published() const {
        return look<Message>(observation::published);
    }
    template <typename Message> [[nodiscard]] probe<Message> sent() const { return look<Message>(observation::sent); }
    template <typename Message> [[nodiscard]] probe<Message> replied() const {
        return look<Message>(observation::replied);
    }
    /// Put aside for later: by `schedule_publish` and `schedule_send`, which are `published` or `sent` when their time
    /// has come; and by the transport, for `deliver_at` and redeliveries, which it hands out without leaving again.
    template <typename Message> [[nodiscard]] probe<Message> scheduled() const {
        return look<Message>(observation::scheduled);
    }

    /// What became of it at its handlers; each attempt is one.
    template <typename Message> [[nodiscard]] probe<Message> handled() const {
        return look<Message>(observation::handled);
    }
    template <typename Message> [[nodiscard]] probe<Message> faulted() const {
        return look<Message>(observation::faulted);
    }
    /// In an error queue, with the fault headers in its envelope; and in a skipped queue.
    template <typename Message> [[nodiscard]] probe<Message> dead_lettered() const {
        return look<Message>(observation::dead_lettered);
    }
    template <typename Message> [[nodiscard]] probe<Message> skipped() const {
        return look<Message>(observation::skipped);
    }

    /// The lines the bus has logged so far.
    [[nodiscard]] std::vector<std::string> log() const;

private:
    struct log_lines;

    template <typename Message> [[nodiscard]] probe<Message> look(observation what) const { return {*seen_, what}; }

    manual_clock clock_;
    std::shared_ptr<recorder> seen_ = std::make_shared<recorder>();
    std::shared_ptr<log_lines> log_;
    std::shared_ptr<memory::broker> broker_;
    std::unique_ptr<ferry::bus> bus_;
};

} // namespace ferry::testing

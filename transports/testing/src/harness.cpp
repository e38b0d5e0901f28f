#include "observing_transport.hpp"

#include <ferry/consumer.hpp>
#include <ferry/testing/harness.hpp>

#include <mutex>
#include <utility>

namespace ferry::testing {

namespace {

/// Tells a recorder how each attempt of a handler ended, and what a successful one has scheduled. Right inside `retry`,
/// so that what the handler sends belongs to the attempt.
class attempt_watch {
public:
    static constexpr std::string_view key = "attempt_watch";

    explicit attempt_watch(std::shared_ptr<recorder> seen) noexcept : seen_{std::move(seen)} {}
    void operator()(consume_context& message, next<consume_context> next) const {
        try {
            next(message);
        } catch (...) {
            seen_->add(ended(observation::faulted, message, summary_of(std::current_exception())));
            throw;
        }
        for (const envelope& each : message.collected().scheduled()) {
            seen_->add({.what = observation::scheduled, .envelope = each});
        }
        seen_->add(ended(observation::handled, message, {}));
    }

private:
    static sighting ended(observation what, const consume_context& message, exception_summary failure) {
        return {.what = what,
                .envelope = message.envelope(),
                .consumer = message.consumer().name(),
                .failure = std::move(failure)};
    }

    std::shared_ptr<recorder> seen_;
};

/// Tells a recorder what is scheduled at once, at the bus itself or by a handler that does not want to wait. No
/// transport sees it before it is due.
class schedule_watch {
public:
    static constexpr std::string_view key = "schedule_watch";

    explicit schedule_watch(std::shared_ptr<recorder> seen) noexcept : seen_{std::move(seen)} {}
    void operator()(dispatch_context& message, next<dispatch_context> next) const {
        next(message);
        if (message.scheduled && message.collector == nullptr) {
            seen_->add({.what = observation::scheduled, .envelope = message.envelope});
        }
    }

private:
    std::shared_ptr<recorder> seen_;
};

} // namespace

struct harness::log_lines {
    std::mutex mutex;
    std::vector<std::string> lines;
};

harness::harness(const std::function<void(bus_builder&)>& configure, std::string service)
    : log_{std::make_shared<log_lines>()},
      broker_{std::make_shared<memory::broker>(memory::broker_options{}, ferry::clock{clock_})} {
    bus_builder builder{std::move(service)};
    configure(builder);
    builder.use_after("retry", attempt_watch{seen_}).use_before("scheduling", schedule_watch{seen_});
    auto carrier = std::make_unique<observing_transport>(broker_, seen_);
    observing_transport& watched = *carrier;
    builder.transport(std::move(carrier)).clock(clock_);
    builder.log([lines = log_](log_level, std::string_view line) {
        const std::scoped_lock lock{lines->mutex};
        lines->lines.emplace_back(line);
    });
    bus_ = std::make_unique<ferry::bus>(builder.build());
    watched.learn(bus_->describe().endpoints);
    bus_->start();
}

harness::~harness() = default;

std::vector<std::string> harness::log() const {
    const std::scoped_lock lock{log_->mutex};
    return log_->lines;
}

} // namespace ferry::testing

#include "bounded_names.hpp"
#include "ending.hpp"
#include "gauges.hpp"
#include "text.hpp"

#include <ferry/consumer.hpp>
#include <ferry/delivery_group.hpp>
#include <ferry/dispatch_context.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/telemetry/telemetry.hpp>

#include <opentelemetry/context/context.h>
#include <opentelemetry/metrics/meter_provider.h>
#include <opentelemetry/metrics/provider.h>
#include <opentelemetry/metrics/sync_instruments.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <span>

namespace ferry::telemetry {

namespace {

namespace metrics_api = opentelemetry::metrics;
namespace nostd = opentelemetry::nostd;

using counter = nostd::unique_ptr<metrics_api::Counter<std::uint64_t>>;
using histogram = nostd::unique_ptr<metrics_api::Histogram<double>>;

class stopwatch {
public:
    [[nodiscard]] double seconds() const noexcept {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }

private:
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

using provider_ptr = nostd::shared_ptr<metrics_api::MeterProvider>;
using meter_ptr = nostd::shared_ptr<metrics_api::Meter>;

/// The instruments, and the names their values are told apart by. All buses of a process share them, those that come
/// later, too: of instruments with one name the SDK keeps the values of the one that was made last, and forgets those
/// of the others.
class instruments {
public:
    /// Those of the provider's meter, which has been the same one since it was first asked for. They stay until another
    /// provider is set up, and do not hold the provider itself.
    [[nodiscard]] static std::shared_ptr<instruments> of(metrics_api::MeterProvider& provider) {
        static std::mutex one_at_a_time;
        static std::shared_ptr<instruments> present;
        const meter_ptr meter = provider.GetMeter("ferry", FERRY_VERSION);
        const std::scoped_lock lock{one_at_a_time};
        if (present == nullptr || present->meter_.get() != meter.get()) {
            present = std::make_shared<instruments>(meter);
        }
        return present;
    }

    explicit instruments(meter_ptr meter) : meter_{std::move(meter)} {}

    /// False when somebody measures this bus already: with two ways out, a message is still counted once.
    [[nodiscard]] bool begin(const observed_bus& bus) { return asked_.begin(bus); }
    void end(const observed_bus& bus) noexcept { asked_.end(bus); }

    [[nodiscard]] std::string_view admit_destination(std::string_view name) { return destinations_.admit(name); }
    [[nodiscard]] std::string_view admit_error(std::string_view error) {
        return error.empty() ? error : errors_.admit(error);
    }

private:
    [[nodiscard]] counter make_counter(const metric& what) {
        return meter_->CreateUInt64Counter(text(what.name), text(what.description), text(what.unit));
    }
    [[nodiscard]] histogram make_histogram(const metric& what) {
        return meter_->CreateDoubleHistogram(text(what.name), text(what.description), text(what.unit));
    }

    meter_ptr meter_;
    bounded_names destinations_;
    bounded_names errors_;
    gauges asked_{*meter_};

public:
    const counter sent = make_counter(measured::sent);
    const counter consumed = make_counter(measured::consumed);
    const counter retries = make_counter(measured::retries);
    const counter redeliveries = make_counter(measured::redeliveries);
    const counter dead_letters = make_counter(measured::dead_letters);
    const counter duplicates = make_counter(measured::duplicates);
    const histogram send_duration = make_histogram(measured::send_duration);
    const histogram process_duration = make_histogram(measured::process_duration);
};

/// What one bus measures.
class meters {
public:
    /// None for a bus that is measured already.
    [[nodiscard]] static std::shared_ptr<meters> of(const observed_bus& bus) {
        auto all = std::make_shared<meters>(bus, metrics_api::Provider::GetMeterProvider());
        return all->into_->begin(bus) ? all : nullptr;
    }

    meters(const observed_bus& bus, provider_ptr provider)
        : bus_{bus},
          system_{bus.transport_name()},
          provider_{std::move(provider)},
          into_{instruments::of(*provider_)} {}

    /// A message its sender has not waited for has no duration.
    void sent(std::string_view destination, std::string_view operation, std::string_view error,
              std::optional<double> seconds = {}) {
        const std::array all{
            named(attributes::system, system_), named(attributes::destination, into_->admit_destination(destination)),
            named(attributes::operation_name, operation), named(attributes::error_type, into_->admit_error(error))};
        const attribute_list told{all.data(), error.empty() ? all.size() - 1 : all.size()};
        into_->sent->Add(1, told);
        if (seconds) {
            into_->send_duration->Record(*seconds, told, opentelemetry::context::Context{});
        }
    }
    void consumed(std::string_view endpoint, settlement outcome) {
        const std::array all{named(attributes::system, system_), named(attributes::destination, endpoint),
                             named(attributes::outcome, to_string(outcome))};
        into_->consumed->Add(1, attribute_list{all.data(), all.size()});
    }
    void processed(std::string_view endpoint, std::string_view consumer, std::string_view error, double seconds) {
        const std::array all{named(attributes::system, system_), named(attributes::destination, endpoint),
                             named(attributes::consumer, consumer),
                             named(attributes::error_type, into_->admit_error(error))};
        into_->process_duration->Record(seconds,
                                        attribute_list{all.data(), error.empty() ? all.size() - 1 : all.size()},
                                        opentelemetry::context::Context{});
    }
    void happened(std::string_view endpoint, const occurrence& what) {
        const counter* const matching = counter_for(what.kind);
        if (matching == nullptr) {
            return;
        }
        const std::array all{named(attributes::system, system_), named(attributes::destination, endpoint),
                             named(attributes::consumer, name_of(what.consumer))};
        (*matching)->Add(1, attribute_list{all.data(), what.consumer == nullptr ? all.size() - 1 : all.size()});
    }

    /// The bus is about to go.
    void ask_no_more() noexcept { into_->end(bus_); }

private:
    // Those without a counter of their own are among the outcomes.
    [[nodiscard]] const counter* counter_for(occurrence::kind_type kind) const noexcept {
        switch (kind) {
        case occurrence::kind_type::retried:
            return &into_->retries;
        case occurrence::kind_type::redelivered:
            return &into_->redeliveries;
        case occurrence::kind_type::dead_lettered:
            return &into_->dead_letters;
        case occurrence::kind_type::duplicate:
            return &into_->duplicates;
        case occurrence::kind_type::discarded:
        case occurrence::kind_type::rejected:
            break;
        }
        return nullptr;
    }

    const observed_bus& bus_; // only until then
    std::string system_;
    provider_ptr provider_; // for as long as anybody measures
    std::shared_ptr<instruments> into_;
};

using meters_ptr = std::shared_ptr<meters>; // the end of an observation may come after that of the bus

/// Replies go to a queue for each process: too many to be told apart.
std::string_view destination_of(const envelope& message) noexcept {
    return message.kind == message_kind::reply ? "(temporary)" : std::string_view{message.destination.name};
}

/// Of what a handler has collected only the failure counts here: whether it leaves, its attempt knows.
class measured_dispatch final : public observation {
public:
    measured_dispatch(meters_ptr into, const dispatch_context& message)
        : into_{std::move(into)},
          operation_{to_string(message.envelope.kind)},
          destination_{destination_of(message.envelope)},
          waits_{message.collector != nullptr && !message.for_callers_transaction} {}
    ~measured_dispatch() override {
        if (!waits_ || !error_.empty()) {
            into_->sent(destination_, operation_, error_, watch_.seconds());
        }
    }

    void failed(const std::exception_ptr& thrown) noexcept override { error_ = summary_of(thrown).type; }

private:
    meters_ptr into_;
    std::string_view operation_;
    std::string destination_;
    bool waits_;
    std::string error_;
    stopwatch watch_;
};

class measured_delivery final : public observation {
public:
    measured_delivery(meters_ptr into, const receive_context& message) : into_{std::move(into)}, message_{message} {}
    ~measured_delivery() override {
        const settlement ended = ending_of(message_, has_thrown_);
        if (delivery_group* const group = message_.group()) {
            count_in_group(*group, ended);
        } else {
            into_->consumed(message_.endpoint().name, ended);
        }
    }

    void happened(const occurrence& what) noexcept override { into_->happened(message_.endpoint().name, what); }
    void failed(const std::exception_ptr& /*thrown*/) noexcept override { has_thrown_ = true; }

private:
    // What is handled is settled with its group. What goes back is at once handled alone, and counts then.
    void count_in_group(delivery_group& group, settlement ended) {
        if (ended == settlement::handled) {
            group.when_committed([into = into_, endpoint = std::string_view{message_.endpoint().name}] {
                into->consumed(endpoint, settlement::handled);
            });
        } else if (ended != settlement::returned) {
            into_->consumed(message_.endpoint().name, ended);
        }
    }

    meters_ptr into_;
    const receive_context& message_;
    bool has_thrown_ = false;
};

class measured_attempt final : public observation {
public:
    measured_attempt(meters_ptr into, consume_context& message) : into_{std::move(into)}, message_{message} {}
    ~measured_attempt() override {
        into_->processed(message_.endpoint(), message_.consumer().name(), error_, watch_.seconds());
        if (error_.empty()) {
            count_kept(message_.collected().scheduled());
            if (!has_asked_broker_) {
                count_kept(message_.collected().all());
            }
        }
    }

    void happened(const occurrence& what) noexcept override {
        if (delivery_group* const group = message_.delivery().group()) {
            return group->when_committed(
                [into = into_, endpoint = message_.endpoint(), what] { into->happened(endpoint, what); });
        }
        into_->happened(message_.endpoint(), what);
    }
    void failed(const std::exception_ptr& thrown) noexcept override { error_ = summary_of(thrown).type; }
    void left(const envelope& message, const std::exception_ptr& failure) noexcept override {
        has_asked_broker_ = true;
        into_->sent(destination_of(message), to_string(message.kind), failure ? summary_of(failure).type : "");
    }

private:
    // Rows, and what waits for its time: with the attempt, or with its group.
    void count_kept(std::span<const envelope> messages) {
        delivery_group* const group = message_.delivery().group();
        for (const envelope& each : messages) {
            auto count = [into = into_, destination = std::string{destination_of(each)},
                          operation = to_string(each.kind)] { into->sent(destination, operation, {}); };
            group != nullptr ? group->when_committed(std::move(count)) : count();
        }
    }

    meters_ptr into_;
    consume_context& message_;
    std::string error_;
    std::atomic<bool> has_asked_broker_ = false;
    stopwatch watch_;
};

class measurer final : public observer {
public:
    void started(const observed_bus& bus) override { meters_ = meters::of(bus); }
    void stopped() noexcept override {
        if (meters_) {
            meters_->ask_no_more();
        }
    }

    std::unique_ptr<observation> dispatching(dispatch_context& message) override {
        return meters_ ? std::make_unique<measured_dispatch>(meters_, message) : nullptr;
    }
    std::unique_ptr<observation> receiving(receive_context& message) override {
        return meters_ ? std::make_unique<measured_delivery>(meters_, message) : nullptr;
    }
    std::unique_ptr<observation> handling(consume_context& message) override {
        return meters_ ? std::make_unique<measured_attempt>(meters_, message) : nullptr;
    }

private:
    meters_ptr meters_;
};

} // namespace

std::shared_ptr<observer> metrics() { return std::make_shared<measurer>(); }

} // namespace ferry::telemetry

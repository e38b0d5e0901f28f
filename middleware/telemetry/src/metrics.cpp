#include "bounded_names.hpp"
#include "gauges.hpp"
#include "text.hpp"

#include <ferry/consumer.hpp>
#include <ferry/dispatch_context.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/telemetry/telemetry.hpp>

#include <opentelemetry/context/context.h>
#include <opentelemetry/metrics/provider.h>
#include <opentelemetry/metrics/sync_instruments.h>

#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <set>

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

/// The instruments, and the names their values are told apart by. All buses of a process share them: of instruments
/// with one name the SDK keeps the values of the one that was made last, and forgets those of the others.
class instruments {
public:
    /// Those that are there, or new ones.
    [[nodiscard]] static std::shared_ptr<instruments> of_the_process() {
        static std::mutex one_at_a_time;
        static std::weak_ptr<instruments> present;
        const provider_ptr provider = metrics_api::Provider::GetMeterProvider();
        const std::scoped_lock lock{one_at_a_time};
        std::shared_ptr<instruments> found = present.lock();
        if (found == nullptr || found->provider_.get() != provider.get()) {
            found = std::make_shared<instruments>(provider);
            present = found;
        }
        return found;
    }

    explicit instruments(provider_ptr provider)
        : provider_{std::move(provider)}, meter_{provider_->GetMeter("ferry", FERRY_VERSION)} {}

    /// False when somebody measures this bus already: with two ways out, a message is still counted once.
    [[nodiscard]] bool begin(const observed_bus& bus) {
        const std::scoped_lock lock{mutex_};
        return measured_.insert(&bus).second;
    }
    void end(const observed_bus& bus) {
        const std::scoped_lock lock{mutex_};
        measured_.erase(&bus);
    }

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

    provider_ptr provider_;
    nostd::shared_ptr<metrics_api::Meter> meter_;
    bounded_names destinations_;
    bounded_names errors_;
    std::mutex mutex_;
    std::set<const observed_bus*> measured_;

public:
    const counter sent = make_counter(measured::sent);
    const counter consumed = make_counter(measured::consumed);
    const counter retries = make_counter(measured::retries);
    const counter redeliveries = make_counter(measured::redeliveries);
    const counter dead_letters = make_counter(measured::dead_letters);
    const counter duplicates = make_counter(measured::duplicates);
    const histogram send_duration = make_histogram(measured::send_duration);
    const histogram process_duration = make_histogram(measured::process_duration);
    const gauge_instruments asked{*meter_};
};

/// What one bus measures.
class meters {
public:
    /// None for a bus that is measured already.
    [[nodiscard]] static std::shared_ptr<meters> of(const observed_bus& bus) {
        std::shared_ptr<instruments> into = instruments::of_the_process();
        return into->begin(bus) ? std::make_shared<meters>(bus, std::move(into)) : nullptr;
    }

    meters(const observed_bus& bus, std::shared_ptr<instruments> into)
        : bus_{bus}, system_{bus.transport_name()}, into_{std::move(into)}, gauges_{std::in_place, into_->asked, bus} {}

    void sent(std::string_view destination, std::string_view operation, std::string_view error, double seconds) {
        const std::array all{
            named(attributes::system, system_), named(attributes::destination, into_->admit_destination(destination)),
            named(attributes::operation_name, operation), named(attributes::error_type, into_->admit_error(error))};
        const attribute_list told{all.data(), error.empty() ? all.size() - 1 : all.size()};
        into_->sent->Add(1, told);
        into_->send_duration->Record(seconds, told, opentelemetry::context::Context{});
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

    /// The bus is about to go, and the gauges with it.
    void ask_no_more() noexcept {
        gauges_.reset();
        into_->end(bus_);
    }

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
    std::shared_ptr<instruments> into_;
    std::optional<gauges> gauges_;
};

using meters_ptr = std::shared_ptr<meters>; // the end of an observation may come after that of the bus

class measured_dispatch final : public observation {
public:
    measured_dispatch(meters_ptr into, const envelope& message)
        : into_{std::move(into)},
          operation_{to_string(message.kind)},
          destination_{message.kind == message_kind::reply ? "(temporary)" : message.destination.name} {}
    ~measured_dispatch() override { into_->sent(destination_, operation_, error_, watch_.seconds()); }

    void failed(const std::exception_ptr& thrown) noexcept override { error_ = summary_of(thrown).type; }
    void answered(const send_outcome& outcome) noexcept override {
        if (outcome.status == send_status::failed) {
            failed(outcome.error);
        }
    }

private:
    meters_ptr into_;
    std::string_view operation_;
    std::string destination_; // replies go to a queue for each process: too many to be told apart
    std::string error_;
    stopwatch watch_;
};

class measured_delivery final : public observation {
public:
    measured_delivery(meters_ptr into, const receive_context& message) : into_{std::move(into)}, message_{message} {}
    ~measured_delivery() override {
        into_->consumed(message_.endpoint().name, message_.settled().value_or(settlement::handled));
    }

    void happened(const occurrence& what) noexcept override { into_->happened(message_.endpoint().name, what); }

private:
    meters_ptr into_;
    const receive_context& message_;
};

class measured_attempt final : public observation {
public:
    measured_attempt(meters_ptr into, const consume_context& message) : into_{std::move(into)}, message_{message} {}
    ~measured_attempt() override {
        into_->processed(message_.endpoint(), message_.consumer().name(), error_, watch_.seconds());
    }

    void happened(const occurrence& what) noexcept override { into_->happened(message_.endpoint(), what); }
    void failed(const std::exception_ptr& thrown) noexcept override { error_ = summary_of(thrown).type; }

private:
    meters_ptr into_;
    const consume_context& message_;
    std::string error_;
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
        return meters_ ? std::make_unique<measured_dispatch>(meters_, message.envelope) : nullptr;
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

#include "../../scenarios/persistence/stored_shop.hpp"

#include <ferry/telemetry/metric.hpp>
#include <ferry/telemetry/telemetry.hpp>

#include <opentelemetry/metrics/provider.h>
#include <opentelemetry/sdk/metrics/export/metric_producer.h>
#include <opentelemetry/sdk/metrics/meter_provider.h>
#include <opentelemetry/sdk/metrics/metric_reader.h>

#include <atomic>
#include <map>
#include <stdexcept>

namespace ferry::scenarios {
namespace {

namespace nostd = opentelemetry::nostd;
namespace sdk_metrics = opentelemetry::sdk::metrics;
namespace measured = telemetry::measured;

using attributes = std::map<std::string, std::string>;

/// Collects when the test asks.
class asked_reader final : public sdk_metrics::MetricReader {
public:
    sdk_metrics::AggregationTemporality GetAggregationTemporality(sdk_metrics::InstrumentType) const noexcept override {
        return sdk_metrics::AggregationTemporality::kCumulative;
    }

private:
    bool OnForceFlush(std::chrono::microseconds) noexcept override { return true; }
    bool OnShutDown(std::chrono::microseconds) noexcept override { return true; }
};

class Metrics : public stored_shop {
protected:
    Metrics() {
        auto provider = std::make_shared<sdk_metrics::MeterProvider>();
        provider->AddMetricReader(reader);
        opentelemetry::metrics::Provider::SetMeterProvider(
            nostd::shared_ptr<opentelemetry::metrics::MeterProvider>{provider});
    }
    ~Metrics() override {
        opentelemetry::metrics::Provider::SetMeterProvider(
            nostd::shared_ptr<opentelemetry::metrics::MeterProvider>{new opentelemetry::metrics::NoopMeterProvider});
    }

    [[nodiscard]] std::unique_ptr<bus_builder> measured_service(const std::string& name) {
        auto builder = service(name, {.relay = {.poll_interval = 10ms}});
        builder->observe(telemetry::metrics());
        return builder;
    }

    static double number(const sdk_metrics::ValueType& value) {
        return nostd::holds_alternative<double>(value) ? nostd::get<double>(value)
                                                       : static_cast<double>(nostd::get<std::int64_t>(value));
    }
    /// The value of a point; of a histogram, how often something was recorded.
    static double value_of(const sdk_metrics::PointType& point) {
        if (const auto* sum = nostd::get_if<sdk_metrics::SumPointData>(&point)) {
            return number(sum->value_);
        }
        if (const auto* last = nostd::get_if<sdk_metrics::LastValuePointData>(&point)) {
            return number(last->value_);
        }
        return static_cast<double>(nostd::get<sdk_metrics::HistogramPointData>(point).count_);
    }
    static bool has(const sdk_metrics::PointAttributes& all, const attributes& wanted) {
        return std::ranges::all_of(wanted, [&](const auto& each) {
            const auto found = all.GetAttributes().find(each.first);
            return found != all.GetAttributes().end() && nostd::get<std::string>(found->second) == each.second;
        });
    }
    /// The sum over the points with these attributes; -1 when there is none.
    [[nodiscard]] double value(const telemetry::metric& what, const attributes& wanted = {}) const {
        double sum = -1;
        reader->Collect([&](sdk_metrics::ResourceMetrics& all) {
            for (const auto& scope : all.scope_metric_data_) {
                for (const auto& each : scope.metric_data_) {
                    for (const auto& point : each.point_data_attr_) {
                        if (each.instrument_descriptor.name_ == what.name && has(point.attributes, wanted)) {
                            sum = std::max(sum, 0.0) + value_of(point.point_data);
                        }
                    }
                }
            }
            return true;
        });
        return sum;
    }
    [[nodiscard]] bool becomes(const telemetry::metric& what, double wanted, const attributes& of = {}) const {
        return testing::eventually([&] { return value(what, of) == wanted; });
    }

    std::shared_ptr<asked_reader> reader = std::make_shared<asked_reader>();
};

TEST_F(Metrics, count_messages_that_are_sent_and_how_they_end) { // B99
    auto builder = measured_service("billing");
    builder->handle<order_placed>([](const order_placed& order) {
        if (order.order_id == "17") {
            throw std::runtime_error{"declined"};
        }
    });
    const auto billing = started(*builder);
    for (const std::string id : {"16", "17", "18"}) {
        billing->publish(order_placed{id});
    }
    const attributes here{{"messaging.system", "memory"}, {"messaging.destination.name", "billing.order-placed"}};
    const auto ended = [&](const std::string& how) {
        attributes all = here;
        all.emplace("ferry.outcome", how);
        return all;
    };
    EXPECT_TRUE(becomes(measured::consumed, 2, ended("handled")));
    EXPECT_TRUE(becomes(measured::consumed, 1, ended("dead-lettered")));
    EXPECT_TRUE(becomes(measured::dead_letters, 1, here));
    EXPECT_EQ(value(measured::sent, {{"messaging.operation.name", "publish"},
                                     {"messaging.destination.name", "ferry.scenarios.order-placed"}}),
              3);
    EXPECT_EQ(value(measured::send_duration), 3);
    EXPECT_EQ(value(measured::process_duration, {{"ferry.consumer", "order-placed"}}), 3);
    EXPECT_EQ(value(measured::process_duration, {{"error.type", "std::runtime_error"}}), 1);
}

TEST_F(Metrics, count_what_happens_to_messages_on_the_way) { // B99
    std::atomic<int> calls{0};
    auto builder = measured_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(1, 1ms).then_redeliver({1ms}); });
    builder->handle<order_placed>([&](const order_placed&) {
        if (++calls < 4) {
            throw std::runtime_error{"not yet"};
        }
    });
    const auto billing = started(*builder);
    envelope raw = order(R"({"order_id":"17"})");
    raw.message_id = id_source{17}.next(time_point{1s});
    inject("billing.order-placed", raw);
    ASSERT_TRUE(becomes(measured::consumed, 1, {{"ferry.outcome", "handled"}}));
    EXPECT_EQ(value(measured::retries, {{"ferry.consumer", "order-placed"}}), 2);
    EXPECT_EQ(value(measured::redeliveries), 1);
    inject("billing.order-placed", raw);
    EXPECT_TRUE(becomes(measured::duplicates, 1));
}

TEST_F(Metrics, tell_how_the_bus_is_doing) { // B99
    watched<bool> go{false};
    std::atomic<int> inside{0};
    auto builder = measured_service("billing");
    builder->handle<order_placed>([&](const order_placed&) {
        ++inside;
        (void)go.eventually([](bool now) { return now; });
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    const attributes here{{"messaging.destination.name", "billing.order-placed"}};
    EXPECT_TRUE(becomes(measured::in_flight, 1, here));
    EXPECT_EQ(value(measured::consuming, here), 1);
    EXPECT_EQ(value(measured::breaker, here), 0);
    EXPECT_EQ(value(measured::connected), 1);
    go.change([](bool& now) { now = true; });
    EXPECT_TRUE(becomes(measured::in_flight, 0, here));
    EXPECT_EQ(inside, 1);
    EXPECT_TRUE(becomes(measured::outbox_sent, 1));
    EXPECT_TRUE(becomes(measured::outbox_pending, 0));
    EXPECT_EQ(value(measured::outbox_dead), 0);
    EXPECT_EQ(value(measured::outbox_age), 0);
}

TEST_F(Metrics, show_an_open_breaker) { // B99
    auto builder = measured_service("billing");
    builder->circuit_breaker({.minimum_throughput = 2, .break_duration = 1h});
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"declined"}; });
    const auto billing = started(*builder);
    for (int i = 0; i < 4; ++i) {
        billing->publish(order_placed{"17"});
    }
    const attributes here{{"messaging.destination.name", "billing.order-placed"}};
    EXPECT_TRUE(becomes(measured::breaker, 2, here));
    EXPECT_EQ(value(measured::consuming, here), 0);
    EXPECT_EQ(value(measured::breaks), 1);
}

TEST_F(Metrics, are_all_there_once_messages_have_flown) { // B99
    auto builder = measured_service("billing");
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(becomes(measured::consumed, 1));
    for (const telemetry::metric& each : measured::all) {
        const bool only_after_failures =
            each.name == measured::retries.name || each.name == measured::redeliveries.name ||
            each.name == measured::dead_letters.name || each.name == measured::duplicates.name;
        EXPECT_EQ(value(each) < 0, only_after_failures) << each.name;
    }
}

TEST_F(Metrics, of_several_buses_are_counted_together) { // B99
    auto first = shop::service("billing");
    auto second = shop::service("shipping");
    first->observe(telemetry::metrics());
    second->observe(telemetry::metrics());
    first->handle<order_placed>([](const order_placed&) {});
    second->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*first);
    const auto shipping = started(*second);
    billing->publish(order_placed{"17"});
    for (const std::string name : {"billing", "shipping"}) {
        EXPECT_TRUE(becomes(measured::consumed, 1, {{"messaging.destination.name", name + ".order-placed"}})) << name;
        EXPECT_EQ(value(measured::connected, {{"ferry.service", name}}), 1) << name;
    }
}

TEST_F(Metrics, ask_no_bus_that_is_gone) { // B99
    {
        auto builder = measured_service("billing");
        builder->handle<order_placed>([](const order_placed&) {});
        started(*builder)->stop();
    }
    EXPECT_LT(value(measured::in_flight), 1);
}

} // namespace
} // namespace ferry::scenarios

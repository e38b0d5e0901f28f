#include "../../scenarios/persistence/store_around.hpp"
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

/// The memory transport, to a broker that can be away.
class transport_of_a_distant_broker final : public transport {
public:
    transport_of_a_distant_broker(std::shared_ptr<memory::broker> shared, std::atomic<bool>& is_away)
        : inner_{std::move(shared)}, is_away_{is_away} {}

    [[nodiscard]] std::string_view name() const noexcept override { return inner_.name(); }
    void start(const transport_host& host) override { inner_.start(host); }
    void stop() noexcept override { inner_.stop(); }
    [[nodiscard]] transport_health health() const override {
        transport_health now = inner_.health();
        now.connected = now.connected && !is_away_;
        return now;
    }
    void declare(const topology& wanted) override { inner_.declare(wanted); }
    void send(const envelope& message, send_callback on_outcome) override {
        if (is_away_) {
            throw transport_error{"the broker is away"};
        }
        inner_.send(message, std::move(on_outcome));
    }
    [[nodiscard]] std::unique_ptr<subscription> consume(const std::string& queue, const consume_options& options,
                                                        delivery_sink& sink) override {
        return inner_.consume(queue, options, sink);
    }

private:
    memory::transport inner_;
    std::atomic<bool>& is_away_;
};

/// Sees the rows of another one, as the store of a second instance on its database would.
class store_with_rows_of_another final : public store_around {
public:
    store_with_rows_of_another(std::unique_ptr<ferry::store> own, ferry::store& other)
        : store_around{std::move(own)}, other_{other} {}

    [[nodiscard]] store_counts count() override { return other_.count(); }

private:
    ferry::store& other_;
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
    [[nodiscard]] std::unique_ptr<bus_builder> measured_service_without_store(const std::string& name) {
        auto builder = shop::service(name);
        builder->observe(telemetry::metrics());
        return builder;
    }
    [[nodiscard]] static attributes outcome(const std::string& how) { return {{"ferry.outcome", how}}; }
    [[nodiscard]] double sent(const std::string& type) const {
        return value(measured::sent, {{"messaging.destination.name", "ferry.scenarios." + type}});
    }
    void expect_counted_when_they_leave(bus_builder& builder) {
        std::atomic<int> calls{0};
        builder.resilience([](exception_policy& policy) { policy.otherwise().retry(3, 1ms); });
        builder.handle<order_placed>([&](const order_placed& order, consume_context& context) {
            context.publish(invoice_created{order.order_id});
            context.schedule_publish(label_printed{order.order_id}, 1000h);
            if (order.order_id == "bad" || ++calls < 3) {
                throw std::runtime_error{"not yet"};
            }
        });
        const auto billing = started(builder);
        billing->publish(order_placed{"bad"});
        ASSERT_TRUE(becomes(measured::consumed, 1, outcome("dead-lettered")));
        EXPECT_LT(sent("invoice-created"), 0);
        EXPECT_LT(sent("label-printed"), 0);
        billing->publish(order_placed{"17"});
        ASSERT_TRUE(becomes(measured::consumed, 1, outcome("handled")));
        EXPECT_EQ(sent("invoice-created"), 1);
        EXPECT_EQ(sent("label-printed"), 1);
        EXPECT_EQ(value(measured::send_duration), 2) << "of those that somebody has waited for";
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

TEST_F(Metrics, count_how_messages_end_that_nobody_has_handled) { // B99
    std::atomic<int> early{0};
    std::atomic<int> bad{0};
    auto builder = measured_service_without_store("billing");
    builder->resilience([](exception_policy& policy) {
        policy.on<std::invalid_argument>().discard();
        policy.on<std::out_of_range>().redeliver({1ms});
    });
    builder->endpoint("desk", [&](endpoint_builder& endpoint) {
        endpoint.no_error_queue().handle<order_placed>([&](const order_placed& order) {
            if (order.order_id == "unwanted") {
                throw std::invalid_argument{"nobody wants it"};
            }
            if (order.order_id == "early" && ++early == 1) {
                throw std::out_of_range{"not yet"};
            }
            if (order.order_id == "bad" && ++bad == 1) {
                throw std::runtime_error{"declined"};
            }
        });
    });
    const auto billing = started(*builder);
    const auto ends = [&](const std::string& how) { return becomes(measured::consumed, 1, outcome(how)); };
    inject("desk", order(R"({"order_id":"unwanted"})"));
    EXPECT_TRUE(ends("discarded"));
    inject("desk", order(R"({"order_id":"early"})"));
    EXPECT_TRUE(ends("redelivered"));
    EXPECT_TRUE(ends("handled"));
    inject("desk", order(R"({"order_id":"bad"})"));
    EXPECT_TRUE(ends("rejected"));
    EXPECT_TRUE(becomes(measured::consumed, 2, outcome("handled"))) << "put back by this broker, it succeeds";
    envelope late = order(R"({"order_id":"late"})");
    late.deliver_by = time_point{1s};
    inject("desk", late);
    EXPECT_TRUE(ends("expired"));
    envelope strange = order("{}");
    strange.message_type = "urn:message:of-others";
    inject("desk", strange);
    EXPECT_TRUE(ends("skipped"));
}

TEST_F(Metrics, count_as_returned_what_could_not_even_fail) { // B99
    broker = std::make_shared<memory::broker>(memory::broker_options{.max_queue_messages = 1, .max_waiting_sends = 0});
    auto builder = measured_service_without_store("billing");
    builder->concurrency_limit(1).handle<order_placed>([](const order_placed&) { throw std::runtime_error{"no"}; });
    const auto billing = started(*builder);
    inject("billing.order-placed_error", order("full"));
    billing->publish(order_placed{"17"});
    EXPECT_TRUE(testing::eventually([&] { return value(measured::consumed, outcome("returned")) >= 1; }));
    EXPECT_EQ(broker->purge("billing.order-placed_error"), 1U);
    EXPECT_TRUE(becomes(measured::consumed, 1, outcome("dead-lettered")));
    EXPECT_LT(value(measured::consumed, outcome("handled")), 0);
}

TEST_F(Metrics, count_what_a_group_has_done_when_that_is_committed) { // B99
    watched<bool> begun{false};
    std::atomic<bool> all_there{false};
    auto builder = measured_service("billing");
    builder->concurrency_limit(1).group_commit(64);
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        context.publish(invoice_created{order.order_id});
        if (order.order_id == "first") { // until all the others are where the slot takes them from
            begun.change([](bool& now) { now = true; });
            EXPECT_TRUE(testing::eventually([&] { return all_there && broker->depth("billing.order-placed") == 0; }));
        }
        if (order.order_id == "bad") {
            throw std::runtime_error{"declined"};
        }
    });
    const auto billing = started(*builder);
    inject("billing.order-placed", order(R"({"order_id":"first"})"));
    ASSERT_TRUE(begun.eventually([](bool now) { return now; }));
    envelope twice = order(R"({"order_id":"twice"})");
    twice.message_id = id_source{17}.next(time_point{1s});
    inject("billing.order-placed", twice);
    inject("billing.order-placed", twice);
    inject("billing.order-placed", order(R"({"order_id":"bad"})"));
    all_there = true;
    ASSERT_TRUE(
        testing::eventually([&] { return billing->counts().handled == 3 && billing->counts().dead_lettered == 1; }));
    EXPECT_TRUE(becomes(measured::consumed, 3, outcome("handled")));
    EXPECT_EQ(value(measured::consumed), 4);
    EXPECT_EQ(value(measured::duplicates), 1);
    EXPECT_EQ(billing->counts().duplicates, 1U);
    EXPECT_EQ(sent("invoice-created"), 2) << "of those that were handled";
    inject("billing.order-placed", twice);
    EXPECT_TRUE(becomes(measured::duplicates, 2));
}

TEST_F(Metrics, count_what_a_group_sends_when_that_is_committed) { // B99
    watched<bool> begun{false};
    std::atomic<bool> all_there{false};
    auto builder = measured_service("billing");
    builder->concurrency_limit(1).group_commit(64);
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        if (order.order_id == "first") { // until all the others are where the slot takes them from
            begun.change([](bool& now) { now = true; });
            EXPECT_TRUE(testing::eventually([&] { return all_there && broker->depth("billing.order-placed") == 0; }));
            return;
        }
        context.publish(invoice_created{order.order_id});
    });
    const auto billing = started(*builder);
    inject("billing.order-placed", order(R"({"order_id":"first"})"));
    ASSERT_TRUE(begun.eventually([](bool now) { return now; }));
    for (int i = 0; i < 3; ++i) {
        inject("billing.order-placed", order(R"({"order_id":"17"})"));
    }
    all_there = true;
    ASSERT_TRUE(becomes(measured::consumed, 4, outcome("handled")));
    EXPECT_TRUE(testing::eventually([&] { return sent("invoice-created") == 3; }));
}

TEST_F(Metrics, count_as_returned_what_a_stop_takes_from_a_group) { // B99
    watched<bool> begun{false};
    watched<bool> together{false};
    std::atomic<bool> all_there{false};
    auto builder = measured_service("billing");
    builder->concurrency_limit(1).group_commit(64);
    builder->handle<order_placed>([&](const order_placed& order, consume_context& context) {
        if (order.order_id == "first") { // until all the others are where the slot takes them from
            begun.change([](bool& now) { now = true; });
            EXPECT_TRUE(testing::eventually([&] { return all_there && broker->depth("billing.order-placed") == 0; }));
            return;
        }
        together.change([](bool& now) { now = true; });
        EXPECT_TRUE(testing::eventually([&] { return context.stopping().stop_requested(); }));
    });
    const auto billing = started(*builder);
    inject("billing.order-placed", order(R"({"order_id":"first"})"));
    ASSERT_TRUE(begun.eventually([](bool now) { return now; }));
    for (int i = 0; i < 3; ++i) {
        inject("billing.order-placed", order(R"({"order_id":"17"})"));
    }
    all_there = true;
    ASSERT_TRUE(together.eventually([](bool now) { return now; }));
    billing->stop();
    EXPECT_EQ(billing->counts().returned, 3U);
    EXPECT_EQ(value(measured::consumed, outcome("returned")), 3);
    EXPECT_EQ(value(measured::consumed, outcome("handled")), 1);
}

TEST_F(Metrics, count_what_a_handler_sends_when_it_leaves) { // B99
    expect_counted_when_they_leave(*measured_service_without_store("billing"));
}

TEST_F(Metrics, count_what_a_handler_sends_when_its_rows_are_committed) { // B99
    expect_counted_when_they_leave(*measured_service("billing"));
}

TEST_F(Metrics, count_what_is_written_in_a_transaction_of_the_applications_own) { // B99
    auto builder = measured_service("billing");
    const auto billing = started(*builder);
    const connection database = own();
    exec(*database, "begin immediate");
    billing->outbox().publish(*database, invoice_created{"17"});
    exec(*database, "commit");
    EXPECT_EQ(sent("invoice-created"), 1);
}

TEST_F(Metrics, count_as_failed_what_a_handler_sends_to_no_queue) { // B99
    auto builder = measured_service_without_store("billing");
    builder->handle<order_placed>([](const order_placed& order, consume_context& context) {
        context.publish(invoice_created{order.order_id});
        context.send(ship_order{order.order_id});
    });
    const auto billing = started(*builder);
    inject("billing.order-placed", order(R"({"order_id":"17"})"));
    ASSERT_TRUE(becomes(measured::consumed, 1, outcome("dead-lettered")));
    const attributes commands{{"messaging.operation.name", "send"}};
    EXPECT_EQ(value(measured::sent, commands), 1);
    EXPECT_EQ(value(measured::sent, {{"error.type", "ferry::transport_error"}}), 1);
    EXPECT_EQ(sent("invoice-created"), 1) << "it had left already";
}

TEST_F(Metrics, count_as_failed_what_finds_no_queue_and_not_what_finds_no_subscriber) { // B99
    auto builder = measured_service_without_store("shop");
    const auto selling = started(*builder);
    EXPECT_THROW(selling->send(ship_order{"17"}), transport_error);
    EXPECT_THROW((void)selling->request<label_printed>(print_label{"17"}), transport_error);
    selling->publish(order_placed{"17"});
    const auto failed = [&](const std::string& operation) {
        return value(measured::sent,
                     {{"messaging.operation.name", operation}, {"error.type", "ferry::transport_error"}});
    };
    EXPECT_EQ(failed("send"), 1);
    EXPECT_EQ(failed("request"), 1);
    EXPECT_LT(failed("publish"), 0);
    EXPECT_EQ(value(measured::sent, {{"messaging.operation.name", "publish"}}), 1);
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

TEST_F(Metrics, tell_of_rows_that_wait_for_a_broker_that_is_away) { // B99
    std::atomic<bool> away{false};
    auto builder = measured_service("billing");
    builder->transport(std::make_unique<transport_of_a_distant_broker>(broker, away));
    const auto billing = started(*builder);
    away = true;
    billing->publish(order_placed{"17"});
    billing->publish(order_placed{"18"});
    EXPECT_TRUE(becomes(measured::outbox_pending, 2));
    EXPECT_TRUE(testing::eventually([&] { return value(measured::outbox_age) > 0; }));
    EXPECT_EQ(value(measured::connected), 0);
    EXPECT_EQ(value(measured::outbox_sent), 0);
    away = false;
    EXPECT_TRUE(becomes(measured::outbox_sent, 2));
    EXPECT_TRUE(becomes(measured::outbox_pending, 0));
    EXPECT_TRUE(becomes(measured::outbox_age, 0));
    EXPECT_EQ(value(measured::connected), 1);
}

TEST_F(Metrics, tell_of_rows_that_are_dead) { // B99
    auto builder = service("shop", {.relay = {.poll_interval = 10ms, .attempts = 2, .backoff = {.base_delay = 1ms}}});
    builder->observe(telemetry::metrics());
    const auto selling = started(*builder);
    selling->send(ship_order{"17"});
    EXPECT_TRUE(becomes(measured::outbox_dead, 1));
    EXPECT_EQ(value(measured::outbox_failed), 2);
    EXPECT_EQ(value(measured::outbox_sent), 0);
}

TEST_F(Metrics, tell_of_messages_that_are_scheduled) { // B99
    auto builder = measured_service_without_store("shop");
    builder->clock(time);
    const auto selling = started(*builder);
    selling->schedule_publish(order_placed{"17"}, 100h * 24);
    selling->schedule_send(ship_order{"17"}, 1s);
    EXPECT_EQ(value(measured::schedule_waiting), 2);
    EXPECT_EQ(value(measured::schedule_dead), 0);
    EXPECT_TRUE(testing::eventually([&] {
        time.advance(1min);
        return value(measured::schedule_dead) == 1;
    })) << "there is no queue for it";
    EXPECT_EQ(value(measured::schedule_waiting), 1);
}

TEST_F(Metrics, tell_once_of_what_several_buses_have_scheduled_in_one_store) { // B99
    auto shared = std::make_unique<sqlite::store>(file);
    auto second_store =
        std::make_unique<store_with_rows_of_another>(std::make_unique<sqlite::store>(file + ".other"), *shared);
    auto one = measured_service_without_store("shop");
    one->persistence(std::move(shared), {.relay = {.poll_interval = 10ms}});
    auto other = measured_service_without_store("shop");
    other->persistence(std::move(second_store), {.relay = {.poll_interval = 10ms}});
    auto third = measured_service_without_store("shop");
    const auto first = started(*one);
    const auto second = started(*other);
    const auto without_store = started(*third);
    first->schedule_publish(order_placed{"17"}, 100h * 24);
    first->schedule_publish(order_placed{"18"}, 100h * 24);
    ASSERT_TRUE(testing::eventually(
        [&] { return first->health().scheduled.waiting == 2 && second->health().scheduled.waiting == 2; }));
    EXPECT_EQ(value(measured::schedule_waiting), 2);
    without_store->schedule_publish(order_placed{"19"}, 100h * 24);
    EXPECT_EQ(value(measured::schedule_waiting), 3);
}

TEST_F(Metrics, show_a_breaker_that_tries_whether_it_may_close) { // B99
    watched<bool> go{false};
    std::atomic<bool> out_of_order{true};
    auto builder = measured_service_without_store("billing");
    builder->clock(time).concurrency_limit(1).circuit_breaker({.minimum_throughput = 2, .break_duration = 1h});
    builder->handle<order_placed>([&](const order_placed&) {
        if (out_of_order) {
            throw std::runtime_error{"declined"};
        }
        (void)go.eventually([](bool now) { return now; });
    });
    const auto billing = started(*builder);
    const time_point opened = time.now();
    for (int i = 0; i < 4; ++i) {
        billing->publish(order_placed{"17"});
    }
    const attributes here{{"messaging.destination.name", "billing.order-placed"}};
    EXPECT_TRUE(becomes(measured::breaker, 2, here));
    out_of_order = false;
    time.await_waiter_for(opened + 1h);
    time.advance(1h);
    EXPECT_TRUE(becomes(measured::breaker, 1, here));
    EXPECT_EQ(value(measured::consuming, here), 1);
    go.change([](bool& now) { now = true; });
    EXPECT_TRUE(becomes(measured::breaker, 0, here));
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

TEST_F(Metrics, of_several_buses_of_one_name_are_one) { // B99
    std::atomic<bool> away{false};
    auto one = measured_service("billing");
    auto other = measured_service_without_store("billing");
    other->persistence(sqlite::store{file + ".other"}, {.relay = {.poll_interval = 10ms}});
    other->transport(std::make_unique<transport_of_a_distant_broker>(broker, away));
    const auto first = started(*one);
    const auto second = started(*other);
    for (bus* const each : {first.get(), first.get(), second.get()}) {
        each->publish(order_placed{"17"});
    }
    const attributes billing{{"ferry.service", "billing"}};
    EXPECT_TRUE(becomes(measured::outbox_sent, 3, billing));
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(value(measured::outbox_sent, billing), 3) << "however often somebody asks";
    }
    EXPECT_EQ(value(measured::connected, billing), 1);
    away = true;
    EXPECT_EQ(value(measured::connected, billing), 0) << "one of them is not";
    second->stop();
    EXPECT_EQ(value(measured::outbox_sent, billing), 3);
    EXPECT_EQ(value(measured::connected, billing), 1);
}

TEST_F(Metrics, go_on_with_the_next_bus_where_the_last_one_ended) { // B99
    for (const int round : {1, 2}) {
        auto builder = measured_service("billing");
        builder->handle<order_placed>([](const order_placed&) {});
        const auto billing = started(*builder);
        billing->publish(order_placed{"17"});
        EXPECT_TRUE(becomes(measured::consumed, round));
        EXPECT_TRUE(becomes(measured::outbox_sent, round));
        billing->stop();
        EXPECT_EQ(value(measured::consumed), round);
        EXPECT_EQ(value(measured::outbox_sent), round);
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

#include "observed_shop.hpp"

#include <chrono>

namespace ferry::scenarios {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class WhenTheCollectorIsNoHelp : public observed_shop {
protected:
    static constexpr std::uint64_t many = 5'000; ///< more than what waits for the collector

    /// Messages that are published and handled while a session tries to tell of them; returns how long its end takes.
    std::chrono::steady_clock::duration run(std::uint64_t orders = many) {
        auto builder = service("billing");
        auto telemetry = std::make_unique<otlp::session>(*builder, quick());
        builder->handle<order_placed>([](const order_placed&) {});
        auto billing = started(*builder);
        for (std::uint64_t i = 0; i < orders; ++i) {
            billing->publish(order_placed{"17"});
        }
        EXPECT_TRUE(testing::eventually([&] { return billing->counts().handled == orders; }));
        billing.reset();
        const auto begin = std::chrono::steady_clock::now();
        telemetry.reset();
        return std::chrono::steady_clock::now() - begin;
    }

    // So that the session tries while messages flow, not only at its end.
    variable often{"OTEL_BSP_SCHEDULE_DELAY", "10"};
    variable logs_often{"OTEL_BLRP_SCHEDULE_DELAY", "10"};
    variable metrics_often{"OTEL_METRIC_EXPORT_INTERVAL", "50"};
    static constexpr auto at_most = 3s; // the session may take one
};

TEST_P(WhenTheCollectorIsNoHelp, because_nobody_is_there_messages_flow) { // B100
    const closed_port nobody;
    const variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", nobody.url()};
    EXPECT_LT(run(), at_most);
    EXPECT_THAT(told.all(), Contains(StartsWith("warning: the collector takes no spans")));
}

TEST_P(WhenTheCollectorIsNoHelp, because_it_refuses_messages_flow) { // B100
    const testing::collector refusing{"refuse"};
    const variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", url_of(refusing)};
    EXPECT_LT(run(), at_most);
    EXPECT_THAT(refusing.received("refuse"), Not(IsEmpty()));
    EXPECT_THAT(told.all(), Contains(StartsWith("warning: the collector takes no spans")));
}

TEST_P(WhenTheCollectorIsNoHelp, because_it_never_answers_messages_flow) { // B100
    const testing::collector hanging{"hang"};
    const variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", url_of(hanging)};
    EXPECT_LT(run(), at_most);
    EXPECT_THAT(hanging.received("hang"), Not(IsEmpty()));
}

TEST_P(WhenTheCollectorIsNoHelp, because_it_is_slow_messages_flow) { // B100
    const testing::collector slow{"hold"};
    const variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", url_of(slow)};
    const variable no_metrics{"OTEL_METRICS_EXPORTER", "none"};
    const variable no_logs{"OTEL_LOGS_EXPORTER", "none"};
    auto builder = service("billing");
    otlp::session telemetry{*builder, {.end_within = 20s}}; // it has the time to answer
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    std::uint64_t published = 0;
    for (std::size_t exports = 1; exports <= 3; ++exports) {
        billing->publish(order_placed{"17"});
        ++published;
        ASSERT_TRUE(testing::eventually([&] { return slow.received("hold").size() >= exports; }));
        const std::size_t before = slow.received("span").size();
        for (; published % 1'000 != 0; ++published) {
            billing->publish(order_placed{"17"});
        }
        EXPECT_TRUE(testing::eventually([&] { return billing->counts().handled == published; }))
            << "while it thinks about the first of them";
        EXPECT_EQ(slow.received("span").size(), before);
        slow.let_one_through();
        EXPECT_TRUE(testing::eventually([&] { return slow.received("span").size() > before; }));
    }
    slow.change_to("take");
    EXPECT_TRUE(telemetry.flush(10s));
}

TEST_P(WhenTheCollectorIsNoHelp, because_it_refuses_a_flush_fails) { // B100
    const variable not_by_itself{"OTEL_BSP_SCHEDULE_DELAY", "60000"};
    const variable nor_logs{"OTEL_BLRP_SCHEDULE_DELAY", "60000"};
    for (const std::string only : {"TRACES", "METRICS", "LOGS"}) {
        const testing::collector collector{"refuse"};
        const variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", url_of(collector)};
        std::map<std::string, variable> others;
        for (const std::string each : {"TRACES", "METRICS", "LOGS"}) {
            if (each != only) {
                others.try_emplace(each, "OTEL_" + each + "_EXPORTER", "none");
            }
        }
        auto builder = service("billing");
        otlp::session telemetry{*builder, quick()};
        builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"declined"}; }); // a log line
        const auto billing = started(*builder);
        billing->publish(order_placed{"17"});
        EXPECT_FALSE(telemetry.flush(5s)) << only;
        EXPECT_FALSE(collector.eventually("refuse", [](const auto&) { return true; }).is_null()) << only;
        collector.change_to("take");
        EXPECT_TRUE(testing::eventually([&] {
            billing->publish(order_placed{"17"});
            return telemetry.flush(500ms);
        })) << only;
    }
}

TEST_P(WhenTheCollectorIsNoHelp, because_nobody_is_there_a_flush_fails) { // B100
    const closed_port nobody;
    const variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", nobody.url()};
    auto builder = service("billing");
    otlp::session telemetry{*builder, quick()};
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    EXPECT_FALSE(telemetry.flush(5s));
}

TEST_P(WhenTheCollectorIsNoHelp, because_it_never_answers_a_flush_fails) { // B100
    const testing::collector hanging{"hang"};
    const variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", url_of(hanging)};
    auto builder = service("billing");
    otlp::session telemetry{*builder, quick()};
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    EXPECT_FALSE(telemetry.flush(100ms)) << "it is still at it";
    EXPECT_FALSE(telemetry.flush(5s));
}

TEST_P(WhenTheCollectorIsNoHelp, what_waits_for_it_is_bounded) { // B100
    testing::collector collector{"hang"};
    const variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", url_of(collector)};
    const variable queue{"OTEL_BSP_MAX_QUEUE_SIZE", "100"};
    auto builder = service("billing");
    otlp::session telemetry{*builder, quick()};
    const auto billing = started(*builder);
    for (std::uint64_t i = 0; i < many; ++i) {
        billing->publish(order_placed{"17"});
    }
    ASSERT_FALSE(collector.eventually("hang", [](const auto&) { return true; }).is_null());
    collector.change_to("take");
    EXPECT_TRUE(testing::eventually([&] { return telemetry.flush(1s); }));
    const std::size_t spans = collector.received("span").size();
    EXPECT_GT(spans, 0U);
    EXPECT_LT(spans, many / 2);
    EXPECT_EQ(std::ranges::count(told.all(), "warning: spans are dropped: more of them wait for the collector than "
                                             "OTEL_BSP_MAX_QUEUE_SIZE allows"),
              1);
}

TEST_P(WhenTheCollectorIsNoHelp, it_is_told_once_and_again_when_it_helps) { // B100
    testing::collector collector{"refuse"};
    const variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", url_of(collector)};
    auto builder = service("billing");
    const otlp::session telemetry{*builder, quick()};
    const auto billing = started(*builder);
    const auto says = [&](const std::string& what) {
        return testing::eventually([&] {
            billing->publish(order_placed{"17"});
            const auto all = told.all();
            return std::ranges::find(all, what) != all.end();
        });
    };
    EXPECT_TRUE(says("warning: the collector takes no spans; until it does they are dropped"));
    ASSERT_TRUE(testing::eventually([&] {
        billing->publish(order_placed{"17"});
        return collector.received("refuse").size() >= 10;
    }));
    const auto all = told.all();
    EXPECT_EQ(std::ranges::count(all, "warning: the collector takes no spans; until it does they are dropped"), 1);
    collector.change_to("take");
    EXPECT_TRUE(says("info: the collector takes spans again"));
}

INSTANTIATE_TEST_SUITE_P(Over, WhenTheCollectorIsNoHelp, ::testing::Values("http/protobuf", "grpc"), name_of);

} // namespace
} // namespace ferry::scenarios

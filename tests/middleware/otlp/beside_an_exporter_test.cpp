#include "observed_shop.hpp"

#include <ferry/prometheus/exporter.hpp>
#include <ferry/telemetry/metric.hpp>

#include <opentelemetry/metrics/noop.h>
#include <opentelemetry/metrics/provider.h>
#include <support/heap.hpp>

#include <stop_token>
#include <thread>

namespace ferry::scenarios {
namespace {

using ::testing::HasSubstr;

/// Meters that no other test has measured with.
class fresh_meters {
public:
    fresh_meters() { forget(); }
    fresh_meters(const fresh_meters&) = delete;
    fresh_meters& operator=(const fresh_meters&) = delete;
    ~fresh_meters() { forget(); }

private:
    static void forget() {
        namespace api = opentelemetry::metrics;
        api::Provider::SetMeterProvider(
            opentelemetry::nostd::shared_ptr<api::MeterProvider>{new api::NoopMeterProvider});
    }
};

/// Sessions and exporters that measure one bus.
class BesideAnExporter : public observed_shop {
protected:
    static constexpr std::ptrdiff_t little = 128 * 1024; ///< as much as threads and connections may have in their hands

    BesideAnExporter() {
        builder->handle<order_placed>([](const order_placed&) {});
        billing = started(*builder);
    }

    void handle_another() {
        billing->publish(order_placed{"17"});
        ++handled;
        ASSERT_TRUE(testing::eventually([&] { return billing->counts().handled == handled; }));
    }
    /// A session that observes nothing, and so tells of what was measured before.
    [[nodiscard]] otlp::session another_session() {
        const auto unused = service("unused");
        return otlp::session{*unused, quick()};
    }
    [[nodiscard]] static std::string consumed(std::uint64_t count) {
        return "messaging_client_consumed_messages_total{ferry_outcome=\"handled\",messaging_destination_name="
               "\"billing."
               "order-placed\",messaging_system=\"memory\"} " +
               std::to_string(count) + "\n";
    }

    fresh_meters meters;
    testing::collector collector;
    variable endpoint{"OTEL_EXPORTER_OTLP_ENDPOINT", url_of(collector)};
    variable no_traces{"OTEL_TRACES_EXPORTER", "none"};
    variable no_logs{"OTEL_LOGS_EXPORTER", "none"};
    std::unique_ptr<bus_builder> builder = service("billing");
    prometheus::exporter metrics{*builder};
    std::unique_ptr<bus> billing;
    std::uint64_t handled = 0;
};

TEST_P(BesideAnExporter, a_session_that_comes_late_tells_of_all_that_was_measured) { // B99
    handle_another();
    EXPECT_THAT(metrics.text(), HasSubstr(consumed(1))) << "whoever looks takes nothing away";
    handle_another();
    { const otlp::session telemetry = another_session(); }
    const auto told_of = collector.metric(std::string{telemetry::measured::consumed.name});
    ASSERT_FALSE(told_of.is_null());
    EXPECT_EQ(told_of.at("points").at(0).at("value"), 2);
    EXPECT_THAT(metrics.text(), HasSubstr(consumed(2)));
}

TEST_P(BesideAnExporter, sessions_come_and_go_while_it_is_read_and_messages_flow) { // B99
    std::jthread reader{[&](const std::stop_token& enough) {
        while (!enough.stop_requested()) {
            (void)metrics.text();
        }
    }};
    for (int i = 0; i < 5; ++i) {
        const otlp::session telemetry = another_session();
        handle_another();
    }
    reader.request_stop();
    reader.join();
    EXPECT_THAT(metrics.text(), HasSubstr(consumed(5)));
}

TEST_P(BesideAnExporter, a_session_that_is_gone_takes_no_room) { // B99
    handle_another();
    { const otlp::session telemetry = another_session(); }
    EXPECT_LT(testing::heap_growth_of(1000, [&] { (void)metrics.text(); }), little);
}

TEST_P(BesideAnExporter, a_session_leaves_no_room_taken_when_nobody_reads_the_exporter) { // B99
    const closed_port nobody; // what a collector takes, the test keeps
    const variable nowhere{"OTEL_EXPORTER_OTLP_ENDPOINT", nobody.url()};
    handle_another();
    otlp::session telemetry = another_session();
    EXPECT_LT(testing::heap_growth_of(200, [&] { (void)telemetry.flush(1s); }), little);
}

INSTANTIATE_TEST_SUITE_P(Over, BesideAnExporter, ::testing::Values("http/protobuf", "grpc"), name_of);

} // namespace
} // namespace ferry::scenarios

#include "../../scenarios/shop.hpp"

#include <ferry/prometheus/exporter.hpp>
#include <ferry/telemetry/metric.hpp>

#include <opentelemetry/metrics/noop.h>
#include <opentelemetry/metrics/provider.h>
#include <opentelemetry/sdk/metrics/meter_provider.h>
#include <support/heap.hpp>

#include <format>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ferry::scenarios {
namespace {

namespace nostd = opentelemetry::nostd;
namespace measured = telemetry::measured;

using ::testing::HasSubstr;

/// Sample lines by name and labels, as Prometheus reads them.
using samples = std::map<std::string, double>;

/// Reads the text format; fails the test where Prometheus would refuse it.
samples read(const std::string& text) {
    static const std::regex comment{R"(# (HELP|TYPE) ([a-zA-Z_][a-zA-Z0-9_]*) (.+))"};
    static const std::regex line{
        R"re(([a-zA-Z_][a-zA-Z0-9_]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\.)*",?)*\})? (\S+))re"};
    samples found;
    std::set<std::string> types;
    std::istringstream lines{text};
    for (std::string each; std::getline(lines, each);) {
        std::smatch parts;
        if (std::regex_match(each, parts, comment)) {
            EXPECT_TRUE(parts[1] == "HELP" || types.insert(parts[2]).second) << "a second family " << parts[2];
        } else if (std::regex_match(each, parts, line)) {
            EXPECT_TRUE(found.emplace(parts[1].str() + parts[2].str(), std::stod(parts[3])).second)
                << "twice: " << each;
        } else {
            ADD_FAILURE() << "this is no line of the format: " << each;
        }
    }
    return found;
}

class PrometheusText : public shop {
protected:
    static constexpr std::ptrdiff_t little = 64 * 1024; ///< as much as threads may have in their hands

    void TearDown() override {
        opentelemetry::metrics::Provider::SetMeterProvider(
            nostd::shared_ptr<opentelemetry::metrics::MeterProvider>{new opentelemetry::metrics::NoopMeterProvider});
    }

    static void handle_orders(bus_builder& builder) {
        builder.handle<order_placed>([](const order_placed& order) {
            if (order.order_id == "17") {
                throw std::runtime_error{"declined"};
            }
        });
    }
    static void publish(bus& from, const std::vector<std::string>& orders) {
        for (const std::string& each : orders) {
            from.publish(order_placed{each});
        }
        ASSERT_TRUE(testing::eventually([&] {
            const bus_counts counts = from.counts();
            return counts.handled + counts.dead_lettered == orders.size();
        }));
    }
};

TEST_F(PrometheusText, has_what_the_bus_measures) { // B99
    auto builder = service("billing");
    const prometheus::exporter metrics{*builder};
    handle_orders(*builder);
    const auto billing = started(*builder);
    publish(*billing, {"16", "17", "18"});
    const std::string here = R"(messaging_destination_name="billing.order-placed",messaging_system="memory")";
    ASSERT_TRUE(testing::eventually([&] {
        const samples now = read(metrics.text());
        const auto found = now.find("messaging_client_consumed_messages_total{ferry_outcome=\"handled\"," + here + "}");
        return found != now.end() && found->second == 2;
    })) << metrics.text();
    const samples all = read(metrics.text());
    EXPECT_EQ(all.at("messaging_client_consumed_messages_total{ferry_outcome=\"dead-lettered\"," + here + "}"), 1);
    EXPECT_EQ(all.at("ferry_endpoint_consuming{ferry_service=\"billing\"," + here + "}"), 1);
    EXPECT_EQ(all.at("ferry_endpoint_breaker{ferry_service=\"billing\"," + here + "}"), 0);
    EXPECT_EQ(all.at("ferry_transport_connected{ferry_service=\"billing\",messaging_system=\"memory\"}"), 1);
    const std::string labels = "ferry_consumer=\"order-placed\"," + here;
    EXPECT_EQ(all.at("messaging_process_duration_seconds_count{" + labels + "}"), 2);
    EXPECT_EQ(all.at("messaging_process_duration_seconds_bucket{" + labels + ",le=\"+Inf\"}"), 2);
    EXPECT_EQ(all.at("messaging_process_duration_seconds_bucket{" + labels + ",le=\"60\"}"), 2);
    EXPECT_GT(all.at("messaging_process_duration_seconds_sum{" + labels + "}"), 0);
}

TEST_F(PrometheusText, tells_types_and_units) { // B99
    auto builder = service("billing");
    const prometheus::exporter metrics{*builder};
    handle_orders(*builder);
    const auto billing = started(*builder);
    publish(*billing, {"16"});
    const std::string text = metrics.text();
    EXPECT_THAT(text, HasSubstr("# TYPE messaging_client_sent_messages_total counter\n"));
    EXPECT_THAT(text, HasSubstr("# TYPE messaging_client_operation_duration_seconds histogram\n"));
    EXPECT_THAT(text, HasSubstr("# TYPE ferry_endpoint_in_flight gauge\n"));
    EXPECT_THAT(text, HasSubstr("# HELP ferry_endpoint_breaker " + std::string{measured::breaker.description} + "\n"));
    EXPECT_THAT(text, HasSubstr("service_name=\"billing\"")) << "target_info tells who it is";
}

TEST_F(PrometheusText, counts_of_several_buses_in_one_family) { // B99
    auto first = service("billing");
    prometheus::exporter metrics{*first};
    auto second = service("shipping");
    metrics.observe(*second);
    first->handle<order_placed>([](const order_placed&) {});
    second->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*first);
    const auto shipping = started(*second);
    billing->publish(order_placed{"16"});
    ASSERT_TRUE(testing::eventually([&] { return billing->counts().handled + shipping->counts().handled == 2; }));
    const samples all = read(metrics.text());
    for (const std::string name : {"billing", "shipping"}) {
        const std::string here =
            "messaging_destination_name=\"" + name + ".order-placed\",messaging_system=\"memory\"}";
        EXPECT_EQ(all.at(std::format("ferry_endpoint_consuming{{ferry_service=\"{}\",{}", name, here)), 1);
        EXPECT_EQ(all.at("messaging_client_consumed_messages_total{ferry_outcome=\"handled\"," + here), 1);
    }
}

TEST_F(PrometheusText, counts_once_where_the_bus_is_measured_twice) { // B99
    auto builder = service("billing");
    const prometheus::exporter metrics{*builder};
    const prometheus::exporter others{*builder};
    handle_orders(*builder);
    const auto billing = started(*builder);
    publish(*billing, {"16", "18"});
    for (const prometheus::exporter* each : {&metrics, &others}) {
        EXPECT_EQ(read(each->text())
                      .at("messaging_process_duration_seconds_count{ferry_consumer=\"order-placed\","
                          "messaging_destination_name=\"billing.order-placed\",messaging_system=\"memory\"}"),
                  2);
    }
}

TEST_F(PrometheusText, takes_no_room_for_an_exporter_that_nobody_reads) { // B99
    auto builder = service("billing");
    const prometheus::exporter metrics{*builder};
    const prometheus::exporter unread{*builder};
    handle_orders(*builder);
    const auto billing = started(*builder);
    publish(*billing, {"16", "17"});
    EXPECT_LT(testing::heap_growth_of(1000, [&] { (void)metrics.text(); }), little);
}

TEST_F(PrometheusText, takes_no_room_for_exporters_that_are_gone) { // B99
    auto builder = service("billing");
    const prometheus::exporter metrics{*builder};
    handle_orders(*builder);
    const auto billing = started(*builder);
    publish(*billing, {"16", "17"});
    const auto come_and_go = [&] {
        const auto unused = service("unused");
        const std::string theirs = prometheus::exporter{*unused}.text();
        EXPECT_EQ(read(theirs).size(), read(metrics.text()).size()) << "whoever comes late misses nothing";
    };
    EXPECT_LT(testing::heap_growth_of(200, come_and_go), little);
}

TEST_F(PrometheusText, puts_strange_names_into_quotes) { // B99
    auto builder = service("billing");
    const prometheus::exporter metrics{*builder};
    const auto billing = started(*builder);
    EXPECT_THROW(billing->send(ship_order{"17"}, {.destination = address::queue("a \"queue\" \\ here")}),
                 transport_error);
    const std::string text = metrics.text();
    (void)read(text);
    EXPECT_THAT(text, HasSubstr(R"(messaging_destination_name="a \"queue\" \\ here")"));
}

TEST_F(PrometheusText, goes_with_the_bus) { // B99
    auto builder = service("billing");
    const prometheus::exporter metrics{*builder};
    handle_orders(*builder);
    const auto billing = started(*builder);
    EXPECT_THAT(metrics.text(), HasSubstr("ferry_endpoint_in_flight{"));
    billing->stop();
    EXPECT_THAT(metrics.text(), ::testing::Not(HasSubstr("ferry_endpoint_in_flight{")));
}

TEST_F(PrometheusText, needs_meters_that_are_not_the_programs_own) { // B99
    opentelemetry::metrics::Provider::SetMeterProvider(
        nostd::shared_ptr<opentelemetry::metrics::MeterProvider>{new opentelemetry::sdk::metrics::MeterProvider});
    auto builder = service("billing");
    try {
        const prometheus::exporter metrics{*builder};
        ADD_FAILURE() << "it took meters it knows nothing of";
    } catch (const error& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("Add a Prometheus reader to your MeterProvider"));
    }
}

} // namespace
} // namespace ferry::scenarios

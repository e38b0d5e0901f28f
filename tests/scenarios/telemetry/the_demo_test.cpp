#include "collector.hpp"
#include "management.hpp"
#include "test_database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/child_process.hpp>
#include <support/eventually.hpp>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ferry::scenarios {
namespace {

using testing::child_process;
using testing::collector;
using ::testing::ElementsAreArray;
using ::testing::IsSupersetOf;

class TheDemo : public ::testing::Test {
protected:
    using named = std::pair<std::string, std::string>; ///< a service, and a span of it

    void run(const std::vector<std::string>& options) {
        std::vector<std::string> words{FERRY_ORDER_SERVICE, "--orders", "20", "--failure-rate", "0"};
        words.insert(words.end(), {"--otlp", spans.http_url()});
        words.insert(words.end(), options.begin(), options.end());
        child_process shop{words, [](const std::string&) {}};
        EXPECT_EQ(shop.wait(), 0);
    }
    static named name_of(const collector::item& told) {
        return {told.at("resource").at("service.name"), told.at("name")};
    }
    [[nodiscard]] std::set<std::string> services() const {
        std::set<std::string> all;
        for (const collector::item& each : spans.received("span")) {
            all.insert(name_of(each).first);
        }
        return all;
    }
    /// The trace of an order that was shipped.
    [[nodiscard]] std::set<named> whole_trace() const {
        const auto all = spans.received("span");
        const auto moved =
            std::ranges::find_if(all, [](const auto& each) { return each.at("name") == "publish shop.parcel-moved"; });
        std::set<named> trace;
        for (const collector::item& each : all) {
            if (moved != all.end() && each.at("trace_id") == moved->at("trace_id")) {
                trace.insert(name_of(each));
            }
        }
        return trace;
    }

    /// What was sent before the shop ended may still be on its way out of the collector.
    void expect_one_trace_through(const std::vector<std::string>& processes, const std::set<named>& wanted) const {
        (void)testing::eventually([&] { return std::ranges::includes(whole_trace(), wanted); });
        EXPECT_THAT(whole_trace(), IsSupersetOf(wanted));
        EXPECT_THAT(services(), ElementsAreArray(processes));
    }

    /// How many traces have such a span; looks until it has seen that many.
    [[nodiscard]] std::size_t traces_with(const std::string& name, std::size_t wanted) const {
        std::set<std::string> traces;
        (void)spans.eventually("span", [&](const collector::item& each) {
            if (each.at("name") == name) {
                traces.insert(each.at("trace_id"));
            }
            return traces.size() == wanted;
        });
        return traces.size();
    }

    const collector spans;
};

TEST_F(TheDemo, shows_whole_traces_in_a_collector) { // B97
    run({});
    expect_one_trace_through({"order-service"}, {{"order-service", "publish shop.order-placed"},
                                                 {"order-service", "publish shop.order-invoiced"},
                                                 {"order-service", "request print-label"},
                                                 {"order-service", "receive print-label"},
                                                 {"order-service", "process print-label"},
                                                 {"order-service", "send ship-parcel"},
                                                 {"order-service", "publish shop.parcel-moved"}});
}

TEST_F(TheDemo, shows_every_order_however_fast_they_come) { // B97
    const std::size_t orders = 2000;
    run({"--orders", std::to_string(orders)});
    EXPECT_EQ(traces_with("publish shop.order-placed", orders), orders);
    EXPECT_EQ(traces_with("publish shop.parcel-moved", orders), orders);
}

TEST_F(TheDemo, shows_one_trace_through_its_three_processes) { // B97
    const testing::management broker;
    const std::string vhost = "demo-" + std::to_string(::getpid());
    broker.make_vhost(vhost);
    const testing::test_database database;
    const std::string at = "amqp://127.0.0.1:" + std::to_string(broker.amqp_port()) + "/" + vhost;
    run({"--real", "--kill", "none", "--broker", at, "--database", database.url()});
    expect_one_trace_through({"billing", "orders", "shipping"}, {{"orders", "publish shop.order-placed"},
                                                                 {"billing", "process billing"},
                                                                 {"billing", "publish shop.order-invoiced"},
                                                                 {"shipping", "request print-label"},
                                                                 {"shipping", "process print-label"},
                                                                 {"shipping", "publish shop.parcel-moved"},
                                                                 {"orders", "process orders.tracking"}});
    broker.remove("/api/vhosts/" + vhost);
}

} // namespace
} // namespace ferry::scenarios

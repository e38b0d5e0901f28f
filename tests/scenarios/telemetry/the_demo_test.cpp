#include "collector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/child_process.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace ferry::scenarios {
namespace {

using testing::child_process;
using testing::collector;

TEST(TheDemo, shows_whole_traces_in_a_collector) { // B97
    const collector spans;
    child_process shop{{FERRY_ORDER_SERVICE, "--orders", "20", "--failure-rate", "0", "--otlp", spans.http_url()},
                       [](const std::string&) {}};
    EXPECT_EQ(shop.wait(), 0);
    const auto all = spans.received("span");
    const auto moved = std::ranges::find_if(all, [](const auto& each) {
        return each.at("name").template get<std::string>() == "publish shop.parcel-moved";
    });
    ASSERT_NE(moved, all.end());
    std::set<std::string> names;
    for (const auto& each : all) {
        if (each.at("trace_id") == moved->at("trace_id")) {
            names.insert(each.at("name").get<std::string>());
        }
    }
    EXPECT_THAT(names, ::testing::IsSupersetOf({"publish shop.order-placed", "publish shop.order-invoiced",
                                                "request print-label", "receive print-label", "process print-label",
                                                "send ship-parcel", "publish shop.parcel-moved"}));
}

} // namespace
} // namespace ferry::scenarios

#include "bounded_names.hpp"

#include <ferry/telemetry/metric.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace ferry::telemetry {
namespace {

TEST(Metric, has_the_name_that_prometheus_would_give_it) { // B99
    EXPECT_EQ(measured::sent.prometheus_name(), "messaging_client_sent_messages_total");
    EXPECT_EQ(measured::process_duration.prometheus_name(), "messaging_process_duration_seconds");
    EXPECT_EQ(measured::outbox_age.prometheus_name(), "ferry_outbox_oldest_age_seconds");
    EXPECT_EQ(prometheus_form("a-b c.d"), "a_b_c_d");
}

TEST(Metric, is_named_once) { // B99
    std::set<std::string> names;
    for (const metric& each : measured::all) {
        EXPECT_TRUE(names.insert(each.prometheus_name()).second) << each.name;
        EXPECT_FALSE(each.description.empty()) << each.name;
    }
}

/// The document that lists what there is.
std::string document() {
    std::ifstream in{FERRY_OBSERVABILITY};
    return {std::istreambuf_iterator<char>{in}, {}};
}

TEST(Observability, lists_every_metric) { // B99
    const std::string text = document();
    for (const metric& each : measured::all) {
        EXPECT_THAT(text, ::testing::HasSubstr("`" + std::string{each.name} + "`"));
        EXPECT_THAT(text, ::testing::HasSubstr("`" + each.prometheus_name() + "`"));
    }
}

TEST(Observability, lists_every_attribute) { // B97
    const std::string text = document();
    for (const std::string_view each : attributes::all) {
        EXPECT_THAT(text, ::testing::HasSubstr("`" + std::string{each} + "`"));
    }
}

TEST(BoundedNames, do_not_become_ever_more) { // B99
    bounded_names names;
    for (std::size_t i = 0; i < bounded_names::most; ++i) {
        EXPECT_EQ(names.admit("queue-" + std::to_string(i)), "queue-" + std::to_string(i));
    }
    EXPECT_EQ(names.admit("one more"), "other");
    EXPECT_EQ(names.admit("queue-0"), "queue-0");
}

} // namespace
} // namespace ferry::telemetry

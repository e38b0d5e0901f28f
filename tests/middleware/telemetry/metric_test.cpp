#include "bounded_names.hpp"
#include "span_names.hpp"

#include <ferry/telemetry/metric.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
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

/// What stands in backticks in the first column of the table whose first heading is that.
std::set<std::string> first_column(const std::string& heading) {
    std::istringstream lines{document()};
    std::set<std::string> found;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        inside = line.starts_with("| " + heading + " |") || (inside && line.starts_with("|"));
        std::istringstream names{inside ? line.substr(0, line.find('|', 1)) : ""};
        std::string name;
        while (std::getline(names, name, '`') && std::getline(names, name, '`')) {
            found.insert(name);
        }
    }
    return found;
}

TEST(Observability, lists_every_span_and_no_other) { // B97
    std::set<std::string> told{operations::others.begin(), operations::others.end()};
    for (const message_kind each : operations::kinds) {
        told.emplace(to_string(each));
    }
    std::set<std::string> listed;
    for (const std::string& name : first_column("span")) {
        listed.insert(name.substr(0, name.find(' ')));
    }
    EXPECT_EQ(listed, told);
}

TEST(Observability, lists_every_event_and_no_other) { // B98
    std::set<std::string> told{std::string{events::exception}, std::string{events::unroutable}};
    for (const auto each : events::occurrences) {
        told.emplace(to_string(each));
    }
    for (const settlement each : events::endings) {
        told.emplace(to_string(each));
    }
    EXPECT_EQ(first_column("event"), told);
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

#include "operating.hpp"

#include <ferry/telemetry/metric.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace ferry::operating {
namespace {

using ::testing::HasSubstr;

/// What is in a file of docs/operating. With FERRY_WRITE_OPERATING set it is written first: that is how the files are
/// made.
std::string file(const std::string& name, const std::string& wanted) {
    const std::string path = std::string{FERRY_OPERATING} + "/" + name;
    if (std::getenv("FERRY_WRITE_OPERATING") != nullptr) {
        std::ofstream{path} << wanted;
    }
    std::ifstream in{path};
    return {std::istreambuf_iterator<char>{in}, {}};
}

constexpr auto remedy = "the metrics have changed, and docs/operating has not: run prometheus_tests with "
                        "FERRY_WRITE_OPERATING=1 and commit what it writes";

TEST(Operating, has_the_dashboard_of_the_metrics_in_the_code) { // B99
    EXPECT_EQ(file("grafana-dashboard.json", dashboard()), dashboard()) << remedy;
}

TEST(Operating, has_the_alerts_of_the_metrics_in_the_code) { // B99
    EXPECT_EQ(file("alerts.yaml", alerts()), alerts()) << remedy;
}

TEST(Operating, shows_every_metric) { // B99
    for (const telemetry::metric& each : telemetry::measured::all) {
        EXPECT_THAT(dashboard(), HasSubstr(each.prometheus_name())) << each.name;
    }
}

TEST(Operating, asks_for_no_metric_that_is_not_there) { // B99
    std::set<std::string> known;
    for (const telemetry::metric& each : telemetry::measured::all) {
        const std::string name = each.prometheus_name();
        known.insert({name, name + "_bucket", name + "_count"});
    }
    static const std::regex metric{R"(\b(ferry|messaging)_[a-z_]+(?=[\[{, )]))"};
    for (const std::string& text : {dashboard(), alerts()}) {
        static const std::regex label{
            R"(messaging_destination_name|messaging_operation_name|ferry_consumer|ferry_outcome)"};
        for (std::sregex_iterator each{text.begin(), text.end(), metric}; each != std::sregex_iterator{}; ++each) {
            if (!std::regex_match(each->str(), label)) {
                EXPECT_TRUE(known.contains(each->str())) << each->str();
            }
        }
    }
}

TEST(Operating, has_a_dashboard_that_is_json_with_a_place_for_each_panel) { // B99
    const auto whole = nlohmann::json::parse(dashboard());
    std::set<std::pair<int, int>> places;
    for (const auto& each : whole.at("panels")) {
        const auto& place = each.at("gridPos");
        EXPECT_TRUE(places.emplace(place.at("x"), place.at("y")).second) << each.at("title");
    }
}

} // namespace
} // namespace ferry::operating

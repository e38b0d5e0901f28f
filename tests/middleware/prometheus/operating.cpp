#include "operating.hpp"

#include <ferry/telemetry/metric.hpp>

#include <nlohmann/json.hpp>

#include <format>
#include <utility>
#include <vector>

namespace ferry::operating {

namespace {

namespace attributes = telemetry::attributes;
namespace measured = telemetry::measured;
using json = nlohmann::ordered_json;
using telemetry::metric;
using telemetry::prometheus_form;

/// A line of a panel: what is asked, and what the line is called.
struct line {
    std::string query;
    std::string legend;
};

struct panel {
    std::string title;
    std::string unit; ///< in Grafana's words
    std::vector<line> lines;
};

struct section {
    std::string title;
    std::vector<panel> panels;
};

constexpr int columns = 24;
constexpr int panels_in_a_row = 3;
constexpr int height = 8;

std::string labels(const std::vector<std::string_view>& names) {
    std::string list = "job";
    for (const std::string_view each : names) {
        list += ", " + prometheus_form(each);
    }
    return list;
}

std::string legend(const std::vector<std::string_view>& names) {
    std::string text = "{{job}}";
    for (const std::string_view each : names) {
        text += " {{" + prometheus_form(each) + "}}";
    }
    return text;
}

/// Events a second.
line rate(const metric& what, const std::vector<std::string_view>& by) {
    return {
        std::format(R"(sum by ({}) (rate({}{{job=~"$job"}}[$__rate_interval])))", labels(by), what.prometheus_name()),
        legend(by)};
}

line now(const metric& what, const std::vector<std::string_view>& by, const std::string& how = "sum") {
    return {std::format(R"({} by ({}) ({}{{job=~"$job"}}))", how, labels(by), what.prometheus_name()), legend(by)};
}

line quantile(double share, const metric& what, const std::vector<std::string_view>& by) {
    return {std::format(R"(histogram_quantile({}, sum by (le, {}) (rate({}_bucket{{job=~"$job"}}[$__rate_interval]))))",
                        share, labels(by), what.prometheus_name()),
            std::format("p{} ", 100 * share) + legend(by)};
}

std::vector<section> sections() {
    const std::string_view place = attributes::destination;
    const std::string_view consumer = attributes::consumer;
    return {
        {"Messages",
         {{"Sent", "ops", {rate(measured::sent, {place})}},
          {"Received, by how they ended", "ops", {rate(measured::consumed, {place, attributes::outcome})}},
          {"In flight", "short", {now(measured::in_flight, {place})}},
          {"Time of a handler",
           "s",
           {quantile(0.5, measured::process_duration, {consumer}),
            quantile(0.99, measured::process_duration, {consumer})}},
          {"Handlers that fail",
           "ops",
           {{std::format(R"(sum by ({}) (rate({}_count{{job=~"$job", {}!=""}}[$__rate_interval])))",
                         labels({consumer, attributes::error_type}), measured::process_duration.prometheus_name(),
                         prometheus_form(attributes::error_type)),
             legend({consumer, attributes::error_type})}}},
          {"Time of sending", "s", {quantile(0.99, measured::send_duration, {attributes::operation_name})}}}},
        {"What does not go smoothly",
         {{"Retries", "ops", {rate(measured::retries, {place, consumer})}},
          {"Redeliveries", "ops", {rate(measured::redeliveries, {place, consumer})}},
          {"Dead letters", "ops", {rate(measured::dead_letters, {place})}},
          {"Duplicates", "ops", {rate(measured::duplicates, {place, consumer})}},
          {"Circuit breaker: 1 half open, 2 open", "short", {now(measured::breaker, {place}, "max")}},
          {"Breaks", "ops", {rate(measured::breaks, {})}},
          {"Instances that consume", "short", {now(measured::consuming, {place})}},
          {"Instances that are connected", "short", {now(measured::connected, {})}}}},
        {"Outbox and schedule",
         {{"Rows that wait", "short", {now(measured::outbox_pending, {}, "max")}},
          {"Age of the oldest row", "s", {now(measured::outbox_age, {}, "max")}},
          {"Dead rows", "short", {now(measured::outbox_dead, {}, "max")}},
          {"Rows sent", "ops", {rate(measured::outbox_sent, {})}},
          {"Attempts that failed", "ops", {rate(measured::outbox_failed, {})}},
          {"Scheduled messages that wait", "short", {now(measured::schedule_waiting, {}, "max")}},
          {"Dead scheduled messages", "short", {now(measured::schedule_dead, {}, "max")}}}},
    };
}

json source() { return {{"type", "prometheus"}, {"uid", "${datasource}"}}; }

json written(const panel& what, int id, int x, int y) {
    json targets = json::array();
    char name = 'A';
    for (const line& each : what.lines) {
        targets.push_back({{"refId", std::string{name++}},
                           {"datasource", source()},
                           {"expr", each.query},
                           {"legendFormat", each.legend}});
    }
    return {{"id", id},
            {"type", "timeseries"},
            {"title", what.title},
            {"datasource", source()},
            {"gridPos", {{"x", x}, {"y", y}, {"w", columns / panels_in_a_row}, {"h", height}}},
            {"fieldConfig", {{"defaults", {{"unit", what.unit}, {"min", 0}}}, {"overrides", json::array()}}},
            {"targets", targets}};
}

json panels() {
    json all = json::array();
    int id = 0;
    int y = 0;
    for (const section& part : sections()) {
        all.push_back({{"id", ++id},
                       {"type", "row"},
                       {"title", part.title},
                       {"collapsed", false},
                       {"gridPos", {{"x", 0}, {"y", y++}, {"w", columns}, {"h", 1}}},
                       {"panels", json::array()}});
        int column = 0;
        for (const panel& each : part.panels) {
            all.push_back(written(each, ++id, column * columns / panels_in_a_row, y));
            column = (column + 1) % panels_in_a_row;
            y += column == 0 ? height : 0;
        }
        y += column == 0 ? 0 : height;
    }
    return all;
}

struct alert {
    std::string name;
    std::string query;
    std::string lasting;
    std::string severity;
    std::string summary;
    std::string remedy;
};

/// Also from nothing: a counter is not there before it has counted, and what has just come has not increased.
std::string has_grown(const metric& what, std::string_view lately) {
    const std::string name = what.prometheus_name();
    return std::format("increase({0}[{1}]) > 0 or ({0} unless {0} offset {1})", name, lately);
}

std::vector<alert> all_alerts() {
    const std::string place = "{{ $labels." + prometheus_form(attributes::destination) + " }}";
    return {
        {"FerryOutboxIsSlow", measured::outbox_age.prometheus_name() + " > 60", "1m", "warning",
         "The oldest row of the outbox of {{ $labels.job }} has waited for {{ $value | humanizeDuration }}",
         "Is the broker there, and does it take messages? health() and the log say what it answers."},
        {"FerryOutboxIsStuck", measured::outbox_age.prometheus_name() + " > 600", "1m", "critical",
         "The oldest row of the outbox of {{ $labels.job }} has waited for {{ $value | humanizeDuration }}",
         "Nothing is lost, but what depends on these messages stands still."},
        {"FerryOutboxHasDeadRows", measured::outbox_dead.prometheus_name() + " > 0", "1m", "warning",
         "{{ $value }} rows of the outbox of {{ $labels.job }} could not be sent",
         "bus.outbox().dead() says why; replay() sends them again when that is mended."},
        {"FerryScheduleHasDeadMessages", measured::schedule_dead.prometheus_name() + " > 0", "1m", "warning",
         "{{ $value }} scheduled messages of {{ $labels.job }} could not be sent",
         "Most often there is no queue for them; the log says of each why."},
        {"FerryBreakerIsOpen", measured::breaker.prometheus_name() + " > 0", "1m", "warning",
         "The circuit breaker of " + place + " at {{ $labels.job }} has opened and not closed again",
         "Too many of its messages fail, and it pauses, or waits for one that succeeds. health() has the last error."},
        {"FerryEndpointDoesNotConsume", measured::consuming.prometheus_name() + " == 0", "5m", "critical",
         "No message has come to " + place + " at {{ $labels.job }} for five minutes: it does not consume",
         "Its queue is missing, the broker is away or has ended its consumer, or its breaker has been open all the "
         "time; health() says which."},
        {"FerryIsNotConnected", measured::connected.prometheus_name() + " == 0", "1m", "critical",
         "{{ $labels.job }} has no connection to its broker, or cannot consume one of its queues",
         "It goes on trying. Is the broker there, and are the queues? health() says what it answers."},
        {"FerryHasDeadLetters", has_grown(measured::dead_letters, "10m"), "0m", "warning",
         "Messages of " + place + " at {{ $labels.job }} have failed for good",
         "They are in its error queue, with the reason in their headers."},
    };
}

/// YAML knows JSON's strings.
std::string quoted(const std::string& text) { return json(text).dump(); }

} // namespace

std::string dashboard() {
    const json variables = {
        {{"name", "datasource"}, {"type", "datasource"}, {"query", "prometheus"}, {"label", "Prometheus"}},
        {{"name", "job"},
         {"type", "query"},
         {"label", "Service"},
         {"datasource", source()},
         {"query", std::format("label_values({}, job)", measured::connected.prometheus_name())},
         {"refresh", 2},
         {"multi", true},
         {"includeAll", true},
         {"current", {{"text", "All"}, {"value", "$__all"}}}}};
    const json whole = {{"uid", "ferry"},
                        {"title", "ferry"},
                        {"tags", {"ferry"}},
                        {"timezone", "browser"},
                        {"schemaVersion", 39},
                        {"refresh", "30s"},
                        {"time", {{"from", "now-1h"}, {"to", "now"}}},
                        {"templating", {{"list", variables}}},
                        {"panels", panels()}};
    return whole.dump(2) + "\n";
}

std::string alerts() {
    std::string text = "# Alert rules for Prometheus; docs/operating/README.md tells what they mean.\n"
                       "groups:\n  - name: ferry\n    rules:\n";
    for (const alert& each : all_alerts()) {
        text += std::format("      - alert: {}\n        expr: {}\n        for: {}\n        labels:\n"
                            "          severity: {}\n        annotations:\n          summary: {}\n"
                            "          description: {}\n",
                            each.name, quoted(each.query), each.lasting, each.severity, quoted(each.summary),
                            quoted(each.remedy));
    }
    return text;
}

} // namespace ferry::operating

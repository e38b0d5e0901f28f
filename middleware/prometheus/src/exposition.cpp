#include "exposition.hpp"

#include <ferry/telemetry/metric.hpp>

#include <opentelemetry/sdk/resource/resource.h>

#include <chrono>
#include <cstdint>
#include <format>
#include <string_view>

namespace ferry::prometheus {

namespace {

namespace nostd = opentelemetry::nostd;
namespace sdk = opentelemetry::sdk::metrics;

double number(const sdk::ValueType& value) {
    return nostd::holds_alternative<double>(value) ? nostd::get<double>(value)
                                                   : static_cast<double>(nostd::get<std::int64_t>(value));
}

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char each : text) {
        switch (each) {
        case '\\':
            safe += "\\\\";
            break;
        case '"':
            safe += "\\\"";
            break;
        case '\n':
            safe += "\\n";
            break;
        default:
            safe += each;
        }
    }
    return safe;
}

std::string text_of(const opentelemetry::sdk::common::OwnedAttributeValue& value) {
    if (const auto* text = nostd::get_if<std::string>(&value)) {
        return escaped(*text);
    }
    if (const auto* whole = nostd::get_if<std::int64_t>(&value)) {
        return std::to_string(*whole);
    }
    if (const auto* truth = nostd::get_if<bool>(&value)) {
        return *truth ? "true" : "false";
    }
    return {}; // ferry's attributes are texts; others come from meters of the application
}

/// a="1",b="2", without braces, so that more can be added.
std::string labels_of(const sdk::PointAttributes& attributes) {
    std::string labels;
    for (const auto& [name, value] : attributes.GetAttributes()) {
        labels +=
            std::format("{}{}=\"{}\"", labels.empty() ? "" : ",", telemetry::prometheus_form(name), text_of(value));
    }
    return labels;
}

std::string line(std::string_view name, std::string_view labels, double value) {
    return labels.empty() ? std::format("{} {}\n", name, value) : std::format("{}{{{}}} {}\n", name, labels, value);
}

std::string histogram_lines(std::string_view name, const std::string& labels, const sdk::HistogramPointData& point) {
    const std::string before = labels.empty() ? "" : labels + ",";
    std::string lines;
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < point.boundaries_.size(); ++i) {
        so_far += i < point.counts_.size() ? point.counts_[i] : 0;
        lines += line(std::string{name} + "_bucket", std::format("{}le=\"{}\"", before, point.boundaries_[i]),
                      static_cast<double>(so_far));
    }
    lines += line(std::string{name} + "_bucket", before + "le=\"+Inf\"", static_cast<double>(point.count_));
    lines += line(std::string{name} + "_sum", labels, number(point.sum_));
    lines += line(std::string{name} + "_count", labels, static_cast<double>(point.count_));
    return lines;
}

telemetry::metric_kind kind_of(const sdk::PointType& point) {
    if (const auto* sum = nostd::get_if<sdk::SumPointData>(&point)) {
        return sum->is_monotonic_ ? telemetry::metric_kind::counter : telemetry::metric_kind::gauge;
    }
    return nostd::holds_alternative<sdk::HistogramPointData>(point) ? telemetry::metric_kind::histogram
                                                                    : telemetry::metric_kind::gauge;
}

std::string_view type_of(telemetry::metric_kind kind) {
    switch (kind) {
    case telemetry::metric_kind::counter:
        return "counter";
    case telemetry::metric_kind::histogram:
        return "histogram";
    case telemetry::metric_kind::gauge:
        break;
    }
    return "gauge";
}

std::string point_lines(std::string_view name, const sdk::PointDataAttributes& point) {
    const std::string labels = labels_of(point.attributes);
    if (const auto* histogram = nostd::get_if<sdk::HistogramPointData>(&point.point_data)) {
        return histogram_lines(name, labels, *histogram);
    }
    if (const auto* sum = nostd::get_if<sdk::SumPointData>(&point.point_data)) {
        return line(name, labels, number(sum->value_));
    }
    if (const auto* last = nostd::get_if<sdk::LastValuePointData>(&point.point_data)) {
        return line(name, labels, number(last->value_));
    }
    return {};
}

bool is_told_since(const sdk::PointType& point, std::chrono::system_clock::time_point since) {
    const auto* const last = nostd::get_if<sdk::LastValuePointData>(&point);
    return last == nullptr || std::chrono::system_clock::time_point{last->sample_ts_} >= since;
}

std::string family(const sdk::MetricData& data, std::chrono::system_clock::time_point since) {
    if (data.point_data_attr_.empty()) {
        return {};
    }
    const auto& about = data.instrument_descriptor;
    const telemetry::metric_kind kind = kind_of(data.point_data_attr_.front().point_data);
    const std::string name =
        telemetry::metric{.name = about.name_, .kind = kind, .unit = about.unit_, .description = {}}.prometheus_name();
    std::string lines;
    for (const sdk::PointDataAttributes& each : data.point_data_attr_) {
        if (is_told_since(each.point_data, since)) {
            lines += point_lines(name, each);
        }
    }
    return lines.empty() ? lines
                         : std::format("# HELP {} {}\n# TYPE {} {}\n{}", name, escaped(about.description_), name,
                                       type_of(kind), lines);
}

/// Which service and which instance: joined with the others by Prometheus, where that is wanted.
std::string target_info(const sdk::ResourceMetrics& all) {
    if (all.resource_ == nullptr) {
        return {};
    }
    std::string labels;
    for (const auto& [name, value] : all.resource_->GetAttributes()) {
        labels +=
            std::format("{}{}=\"{}\"", labels.empty() ? "" : ",", telemetry::prometheus_form(name), text_of(value));
    }
    return "# HELP target_info Who is measured\n# TYPE target_info gauge\n" + line("target_info", labels, 1);
}

} // namespace

std::string exposition_of(const sdk::ResourceMetrics& all, std::chrono::system_clock::time_point since) {
    std::string text = target_info(all);
    for (const sdk::ScopeMetrics& scope : all.scope_metric_data_) {
        for (const sdk::MetricData& each : scope.metric_data_) {
            text += family(each, since);
        }
    }
    return text;
}

} // namespace ferry::prometheus

#include <ferry/telemetry/metric.hpp>

#include <algorithm>
#include <functional>

namespace ferry::telemetry {

namespace {

bool is_allowed(char each) noexcept {
    return each == '_' || (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
}

} // namespace

std::string prometheus_form(std::string_view name) {
    std::string form{name};
    std::ranges::replace_if(form, std::not_fn(is_allowed), '_');
    return form;
}

std::string metric::prometheus_name() const {
    return prometheus_form(name) + (unit == "s" ? "_seconds" : "") + (kind == metric_kind::counter ? "_total" : "");
}

} // namespace ferry::telemetry

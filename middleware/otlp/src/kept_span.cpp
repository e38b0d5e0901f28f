#include "kept_span.hpp"

#include "exporters.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ferry::otlp {

namespace nostd = opentelemetry::nostd;
namespace trace = opentelemetry::trace;
using opentelemetry::common::AttributeValue;

kept_span::~kept_span() {
    if (!unpacked_) {
        rules_.dropped_span();
    }
}

kept_span::piece kept_span::keep(std::string_view text) {
    const piece kept{static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text.size())};
    text_.insert(text_.end(), text.begin(), text.end());
    return kept;
}

opentelemetry::sdk::trace::Recordable& kept_span::rare() {
    if (!rare_) {
        rare_ = exporter_.MakeRecordable();
    }
    return *rare_;
}

void kept_span::SetIdentity(const trace::SpanContext& context, trace::SpanId parent) noexcept {
    context_ = context;
    parent_ = parent;
}

void kept_span::SetAttribute(nostd::string_view name, const AttributeValue& value) noexcept {
    const auto add = [&](auto kept) {
        const std::string_view wanted{name.data(), name.size()};
        const auto same = std::ranges::find_if(attributes_, [&](const attribute& each) {
            const nostd::string_view known = view(each.name);
            return std::string_view{known.data(), known.size()} == wanted;
        });
        if (same != attributes_.end()) {
            same->value = kept;
        } else {
            attributes_.push_back({keep(wanted), kept});
        }
    };
    if (const auto* text = nostd::get_if<nostd::string_view>(&value)) {
        add(keep({text->data(), text->size()}));
    } else if (const auto* characters = nostd::get_if<const char*>(&value)) {
        add(keep(*characters));
    } else if (const auto* whole = nostd::get_if<std::int64_t>(&value)) {
        add(*whole);
    } else if (const auto* small = nostd::get_if<std::int32_t>(&value)) {
        add(std::int64_t{*small});
    } else if (const auto* positive = nostd::get_if<std::uint32_t>(&value)) {
        add(std::int64_t{*positive});
    } else if (const auto* real = nostd::get_if<double>(&value)) {
        add(*real);
    } else if (const auto* truth = nostd::get_if<bool>(&value)) {
        add(*truth);
    } else {
        rare().SetAttribute(name, value);
    }
}

void kept_span::AddEvent(nostd::string_view name, opentelemetry::common::SystemTimestamp at,
                         const opentelemetry::common::KeyValueIterable& attributes) noexcept {
    rare().AddEvent(name, at, attributes);
}

void kept_span::AddLink(const trace::SpanContext& to,
                        const opentelemetry::common::KeyValueIterable& attributes) noexcept {
    rare().AddLink(to, attributes);
}

void kept_span::SetStatus(trace::StatusCode code, nostd::string_view text) noexcept {
    status_ = code;
    status_text_ = keep({text.data(), text.size()});
}

void kept_span::SetName(nostd::string_view name) noexcept { name_ = keep({name.data(), name.size()}); }

AttributeValue kept_span::value_of(const attribute& each) const noexcept {
    if (const auto* text = std::get_if<piece>(&each.value)) {
        return view(*text);
    }
    if (const auto* whole = std::get_if<std::int64_t>(&each.value)) {
        return *whole;
    }
    if (const auto* real = std::get_if<double>(&each.value)) {
        return *real;
    }
    return std::get<bool>(each.value);
}

std::unique_ptr<opentelemetry::sdk::trace::Recordable> kept_span::unpack() {
    unpacked_ = true;
    Recordable& whole = rare();
    if (scope_ != nullptr) {
        whole.SetInstrumentationScope(*scope_);
    }
    if (resource_ != nullptr) {
        whole.SetResource(*resource_);
    }
    whole.SetIdentity(context_, parent_);
    if (flags_) {
        whole.SetTraceFlags(*flags_);
    }
    whole.SetName(view(name_));
    whole.SetSpanKind(kind_);
    whole.SetStartTime(start_);
    for (const attribute& each : attributes_) {
        whole.SetAttribute(view(each.name), value_of(each));
    }
    if (status_ != trace::StatusCode::kUnset) {
        whole.SetStatus(status_, view(status_text_));
    }
    whole.SetDuration(duration_);
    return std::move(rare_);
}

} // namespace ferry::otlp

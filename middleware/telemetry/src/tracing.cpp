#include "ending.hpp"
#include "span_names.hpp"
#include "text.hpp"
#include "trace_context.hpp"

#include <ferry/consumer.hpp>
#include <ferry/dispatch_context.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/header_names.hpp>
#include <ferry/telemetry/metric.hpp>
#include <ferry/telemetry/telemetry.hpp>

#include <opentelemetry/context/context.h>
#include <opentelemetry/context/runtime_context.h>
#include <opentelemetry/trace/provider.h>
#include <opentelemetry/trace/scope.h>
#include <opentelemetry/trace/span_metadata.h>
#include <opentelemetry/trace/tracer.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace ferry::telemetry {

namespace {

namespace nostd = opentelemetry::nostd;
namespace trace = opentelemetry::trace;

using span_ptr = nostd::shared_ptr<trace::Span>;
using uuid_text = std::array<char, uuid::text_size>;

std::string_view written(const uuid& id, uuid_text& into) noexcept {
    if (id.is_nil()) {
        return {};
    }
    id.write(into.data());
    return {into.data(), into.size()};
}

void mark_failed(trace::Span& span, const exception_summary& cause) noexcept {
    span.SetAttribute(text(attributes::error_type), text(cause.type));
    span.SetStatus(trace::StatusCode::kError, text(cause.text));
}

/// The parent of the first span of a trace. Of one that is merely not valid the SDK makes the thread's current span.
opentelemetry::context::Context nothing() { return opentelemetry::context::Context{trace::kIsRootSpanKey, true}; }

/// What happened to a message is a failure of the delivery when nobody could do the work.
bool is_failure(occurrence::kind_type kind) noexcept {
    using enum occurrence::kind_type;
    return kind == redelivered || kind == dead_lettered || kind == rejected;
}

/// Work with a span of its own, which ends with it.
class spanned : public observation {
public:
    explicit spanned(span_ptr span) noexcept : span_{std::move(span)} {}
    ~spanned() override { span_->End(); }

    void happened(const occurrence& what) noexcept override {
        const exception_summary cause = what.reason ? summary_of(what.reason) : exception_summary{};
        const std::array all{named(attributes::consumer, name_of(what.consumer)),
                             named(attributes::exception_type, cause.type),
                             named(attributes::exception_message, cause.text)};
        span_->AddEvent(text(to_string(what.kind)), attribute_list{all.data(), what.reason ? all.size() : 1});
        if (is_failure(what.kind)) {
            mark_failed(*span_, cause);
        }
    }
    void failed(const std::exception_ptr& thrown) noexcept override {
        const exception_summary cause = summary_of(thrown);
        const std::array all{named(attributes::exception_type, cause.type),
                             named(attributes::exception_message, cause.text)};
        span_->AddEvent(text(events::exception), attribute_list{all.data(), all.size()});
        mark_failed(*span_, cause);
    }

protected:
    [[nodiscard]] const span_ptr& span() const noexcept { return span_; }

private:
    span_ptr span_;
};

/// The same on one thread from beginning to end: what else that does meanwhile belongs to the span.
class active : public spanned {
public:
    explicit active(span_ptr begun) noexcept : spanned{std::move(begun)}, scope_{span()} {}

private:
    trace::Scope scope_;
};

/// A message on its way out. It was only created, unless the broker has answered.
class dispatch final : public spanned {
public:
    using spanned::spanned;
    ~dispatch() override { span()->SetAttribute(text(attributes::operation_type), answered_ ? "send" : "create"); }

    void answered(const send_outcome& outcome) noexcept override {
        answered_ = true;
        if (outcome.status == send_status::unroutable) {
            span()->AddEvent(text(events::unroutable));
        }
    }

private:
    bool answered_ = false;
};

class delivery_span final : public active {
public:
    delivery_span(span_ptr begun, const receive_context& message) noexcept
        : active{std::move(begun)}, message_{message} {}
    ~delivery_span() override {
        const settlement ended = ending_of(message_, has_thrown_);
        if (message_.group() != nullptr) {
            span()->SetAttribute(text(attributes::in_group), true);
        }
        span()->SetAttribute(text(attributes::outcome), text(to_string(ended)));
        if (std::ranges::contains(events::endings, ended)) {
            span()->AddEvent(text(to_string(ended)));
        }
    }

    void failed(const std::exception_ptr& thrown) noexcept override {
        active::failed(thrown);
        has_thrown_ = true;
    }

private:
    const receive_context& message_;
    bool has_thrown_ = false;
};

/// Work on several messages of different traces: linked with each, and a child of none. OpenTelemetry wants the links
/// when a span begins, so it is made when all are known.
class shared_work final : public observation {
public:
    shared_work(nostd::shared_ptr<trace::Tracer> tracer, std::string name, trace::SpanKind kind,
                std::vector<std::pair<std::string, std::string>> facts, std::size_t count)
        : tracer_{std::move(tracer)}, name_{std::move(name)}, facts_{std::move(facts)}, count_{count} {
        options_.kind = kind;
        options_.parent = nothing();
        options_.start_system_time = std::chrono::system_clock::now();
        options_.start_steady_time = std::chrono::steady_clock::now();
    }
    ~shared_work() override {
        std::vector<attribute> all;
        for (const auto& [name, value] : facts_) {
            all.push_back(named(name, value));
        }
        all.emplace_back(text(attributes::batch_count), static_cast<std::int64_t>(count_));
        const span_ptr span = tracer_->StartSpan(name_, all, links_, options_);
        if (failure_) {
            const std::array cause{named(attributes::exception_type, failure_->type),
                                   named(attributes::exception_message, failure_->text)};
            span->AddEvent(text(events::exception), attribute_list{cause.data(), cause.size()});
            mark_failed(*span, *failure_);
        }
        span->End();
    }

    void failed(const std::exception_ptr& thrown) noexcept override { failure_ = summary_of(thrown); }
    void includes(const envelope& message) noexcept override {
        if (links_.size() == most_links) {
            return;
        }
        if (const trace::SpanContext context = read(message.headers); context.IsValid()) {
            uuid_text id;
            links_.emplace_back(context,
                                std::map<std::string, std::string>{{std::string{attributes::message_id},
                                                                    std::string{written(message.message_id, id)}}});
        }
    }

private:
    static constexpr std::size_t most_links = 128; // what the SDKs of OpenTelemetry keep unless told otherwise

    nostd::shared_ptr<trace::Tracer> tracer_;
    std::string name_;
    std::vector<std::pair<std::string, std::string>> facts_;
    std::size_t count_;
    trace::StartSpanOptions options_;
    std::vector<std::pair<trace::SpanContext, std::map<std::string, std::string>>> links_;
    std::optional<exception_summary> failure_;
};

class tracer final : public observer {
public:
    void started(const observed_bus& bus) override {
        system_ = bus.transport_name();
        tracer_ = trace::Provider::GetTracerProvider()->GetTracer("ferry", FERRY_VERSION);
    }

    // A message from outside of any span may bring its trace along: from a web request, say, that is no span here.
    std::unique_ptr<observation> dispatching(dispatch_context& message) override {
        envelope& sent = message.envelope;
        const trace::SpanContext around = trace::Tracer::GetCurrentSpan()->GetContext();
        span_ptr span = begin({.kind = trace::SpanKind::kProducer,
                               .operation = to_string(sent.kind),
                               .destination = sent.destination.name,
                               .message = sent,
                               .parent = around.IsValid() ? around : read(sent.headers)});
        write(span->GetContext(), sent.headers);
        return std::make_unique<dispatch>(std::move(span));
    }

    std::unique_ptr<observation> receiving(receive_context& message) override {
        const envelope& received = message.envelope();
        span_ptr span = begin({.kind = trace::SpanKind::kConsumer,
                               .operation = operations::receive,
                               .operation_type = "receive",
                               .destination = message.endpoint().name,
                               .message = received,
                               .parent = read(received.headers)});
        if (span->IsRecording()) {
            span->SetAttribute(text(attributes::body_size), static_cast<std::int64_t>(received.body.size()));
            if (const int rounds = count_in(received.headers, header_names::delayed_retry_count); rounds > 0) {
                span->SetAttribute(text(attributes::redelivery), rounds);
            }
        }
        return std::make_unique<delivery_span>(std::move(span), message);
    }

    std::unique_ptr<observation> handling(consume_context& message) override {
        span_ptr span = begin({.kind = trace::SpanKind::kConsumer, // the conventions want it for "process", too
                               .operation = operations::process,
                               .operation_type = "process",
                               .destination = message.endpoint(),
                               .message = message.envelope(),
                               .parent = trace::Tracer::GetCurrentSpan()->GetContext()});
        if (span->IsRecording()) {
            span->SetAttribute(text(attributes::consumer), text(message.consumer().name()));
            span->SetAttribute(text(attributes::attempt), message.attempt().retry + 1);
        }
        return std::make_unique<active>(std::move(span));
    }

    std::unique_ptr<observation> committing(std::string_view endpoint, std::size_t count) override {
        return std::make_unique<shared_work>(tracer_, std::string{operations::commit} + " " + std::string{endpoint},
                                             trace::SpanKind::kInternal, facts(operations::commit, "settle", endpoint),
                                             count);
    }

    std::unique_ptr<observation> relaying(std::size_t count) override {
        return std::make_unique<shared_work>(tracer_, std::string{operations::relay} + " outbox",
                                             trace::SpanKind::kClient, facts(operations::relay, "send", {}), count);
    }

    std::unique_ptr<observation> sending_scheduled(const envelope& message) override {
        return std::make_unique<dispatch>(begin({.kind = trace::SpanKind::kClient,
                                                 .operation = operations::send_scheduled,
                                                 .destination = message.destination.name,
                                                 .message = message,
                                                 .parent = read(message.headers)}));
    }

    trace_position position() noexcept override { return position_of(trace::Tracer::GetCurrentSpan()->GetContext()); }
    trace_position origin(const envelope& message) noexcept override { return position_of(read(message.headers)); }

private:
    struct facts_of_span {
        trace::SpanKind kind;
        std::string_view operation;
        std::string_view operation_type = {};
        std::string_view destination;
        const envelope& message;
        trace::SpanContext parent;
    };

    [[nodiscard]] span_ptr begin(const facts_of_span& facts) const {
        trace::StartSpanOptions options;
        options.kind = facts.kind;
        if (facts.parent.IsValid()) {
            options.parent = facts.parent;
        } else {
            options.parent = nothing();
        }
        std::string name;
        const bool for_one_process = facts.message.kind == message_kind::reply; // its queue is, and names are to be few
        name.append(facts.operation).append(" ").append(for_one_process ? "(temporary)" : facts.destination);
        uuid_text message_id;
        uuid_text conversation_id;
        const std::array all{
            named(attributes::system, system_),
            named(attributes::destination, facts.destination),
            named(attributes::operation_name, facts.operation),
            named(attributes::message_type, facts.message.message_type),
            named(attributes::message_id, written(facts.message.message_id, message_id)),
            named(attributes::conversation_id, written(facts.message.conversation_id, conversation_id)),
            named(attributes::operation_type, facts.operation_type)};
        return tracer_->StartSpan(
            name, attribute_list{all.data(), facts.operation_type.empty() ? all.size() - 1 : all.size()}, options);
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>>
    facts(std::string_view operation, std::string_view type, std::string_view destination) const {
        std::vector<std::pair<std::string, std::string>> all{
            {std::string{attributes::system}, system_},
            {std::string{attributes::operation_name}, std::string{operation}},
            {std::string{attributes::operation_type}, std::string{type}}};
        if (!destination.empty()) {
            all.emplace_back(attributes::destination, destination);
        }
        return all;
    }

    std::string system_;
    nostd::shared_ptr<trace::Tracer> tracer_;
};

} // namespace

std::shared_ptr<observer> tracing() { return std::make_shared<tracer>(); }

} // namespace ferry::telemetry

#include "../../scenarios/persistence/stored_shop.hpp"

#include <ferry/telemetry/telemetry.hpp>

#include <opentelemetry/exporters/memory/in_memory_span_data.h>
#include <opentelemetry/exporters/memory/in_memory_span_exporter_factory.h>
#include <opentelemetry/sdk/trace/simple_processor_factory.h>
#include <opentelemetry/sdk/trace/span_data.h>
#include <opentelemetry/sdk/trace/tracer_provider_factory.h>
#include <opentelemetry/trace/provider.h>
#include <opentelemetry/trace/scope.h>

#include <atomic>
#include <map>
#include <stdexcept>

namespace ferry::scenarios {
namespace {

namespace nostd = opentelemetry::nostd;
namespace sdk_trace = opentelemetry::sdk::trace;
namespace trace = opentelemetry::trace;

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Pair;
using ::testing::SizeIs;

template <typename Id> std::string hex(const Id& id) {
    std::array<char, 2 * Id::kSize> digits{};
    id.ToLowerBase16(nostd::span<char, 2 * Id::kSize>{digits.data(), digits.size()});
    return {digits.data(), digits.size()};
}

std::string text_of(const opentelemetry::sdk::common::OwnedAttributeValue& value) {
    if (const auto* text = nostd::get_if<std::string>(&value)) {
        return *text;
    }
    if (const auto* number = nostd::get_if<std::int32_t>(&value)) {
        return std::to_string(*number);
    }
    if (const auto* number = nostd::get_if<std::int64_t>(&value)) {
        return std::to_string(*number);
    }
    if (const auto* truth = nostd::get_if<bool>(&value)) {
        return *truth ? "true" : "false";
    }
    return "?";
}

/// A finished span, in words.
struct told_span {
    std::string name;
    std::string trace_id;
    std::string id;
    std::string parent; ///< empty for the first of a trace
    trace::SpanKind kind;
    trace::StatusCode status;
    std::map<std::string, std::string> attributes;
    std::vector<std::string> events;
    std::vector<std::string> links; ///< the spans it is linked with

    explicit told_span(const sdk_trace::SpanData& span)
        : name{span.GetName()},
          trace_id{hex(span.GetTraceId())},
          id{hex(span.GetSpanId())},
          parent{span.GetParentSpanId().IsValid() ? hex(span.GetParentSpanId()) : ""},
          kind{span.GetSpanKind()},
          status{span.GetStatus()} {
        for (const auto& [key, value] : span.GetAttributes()) {
            attributes.emplace(key, text_of(value));
        }
        for (const auto& event : span.GetEvents()) {
            events.push_back(event.GetName());
        }
        for (const auto& link : span.GetLinks()) {
            links.push_back(hex(link.GetSpanContext().span_id()));
        }
    }
};

class Tracing : public stored_shop {
protected:
    Tracing() {
        trace::Provider::SetTracerProvider(nostd::shared_ptr<trace::TracerProvider>{
            sdk_trace::TracerProviderFactory::Create(
                sdk_trace::SimpleSpanProcessorFactory::Create(
                    opentelemetry::exporter::memory::InMemorySpanExporterFactory::Create(exported, 10'000)))
                .release()});
    }
    ~Tracing() override {
        trace::Provider::SetTracerProvider(nostd::shared_ptr<trace::TracerProvider>{new trace::NoopTracerProvider});
    }

    [[nodiscard]] std::unique_ptr<bus_builder> traced(std::unique_ptr<bus_builder> builder) {
        builder->concurrency_limit(1).observe(telemetry::tracing());
        return builder;
    }
    [[nodiscard]] std::unique_ptr<bus_builder> traced_service(const std::string& name) {
        return traced(shop::service(name));
    }
    /// Waits for so many spans of that name.
    [[nodiscard]] std::vector<told_span> spans(const std::string& name, std::size_t count = 1) {
        std::vector<told_span> found;
        EXPECT_TRUE(testing::eventually([&] {
            for (auto& each : exported->Get()) {
                ended.emplace_back(*each);
            }
            found.clear();
            std::ranges::copy_if(ended, std::back_inserter(found),
                                 [&](const told_span& each) { return each.name == name; });
            return found.size() >= count;
        })) << name
            << " among " << names();
        return found;
    }
    [[nodiscard]] told_span span(const std::string& name) {
        auto found = spans(name);
        if (found.size() != 1) {
            throw std::runtime_error{"there are " + std::to_string(found.size()) + " spans " + name + ": " + names()};
        }
        return found.front();
    }
    [[nodiscard]] std::string names() const {
        std::string all;
        for (const told_span& each : ended) {
            all += "'" + each.name + "' ";
        }
        return all;
    }

    std::shared_ptr<opentelemetry::exporter::memory::InMemorySpanData> exported;
    std::vector<told_span> ended;
};

TEST_F(Tracing, leads_from_the_publisher_to_the_handler) { // B97
    auto builder = traced_service("billing");
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    const told_span received = span("receive billing.order-placed");
    const told_span processed = span("process billing.order-placed");
    const auto published = span("publish ferry.scenarios.order-placed");
    EXPECT_EQ(published.kind, trace::SpanKind::kProducer);
    EXPECT_EQ(published.parent, "");
    EXPECT_EQ(received.kind, trace::SpanKind::kConsumer);
    EXPECT_EQ(received.parent, published.id);
    EXPECT_EQ(processed.parent, received.id);
    EXPECT_EQ(processed.trace_id, published.trace_id);
    EXPECT_EQ(received.trace_id, published.trace_id);
    EXPECT_EQ(processed.status, trace::StatusCode::kUnset);
    EXPECT_THAT(published.attributes,
                IsSupersetOf({Pair("messaging.system", "memory"), Pair("messaging.operation.type", "send"),
                              Pair("messaging.operation.name", "publish"),
                              Pair("messaging.destination.name", "ferry.scenarios.order-placed")}));
    EXPECT_THAT(received.attributes,
                IsSupersetOf({Pair("messaging.operation.type", "receive"), Pair("ferry.outcome", "handled")}));
    for (const std::string name : {"messaging.message.id", "messaging.message.conversation_id"}) {
        EXPECT_EQ(received.attributes.at(name), published.attributes.at(name));
    }
    EXPECT_THAT(processed.attributes,
                IsSupersetOf({Pair("messaging.operation.type", "process"), Pair("ferry.consumer", "order-placed"),
                              Pair("ferry.attempt", "1")}));
}

TEST_F(Tracing, continues_the_span_that_publishes) { // B97
    auto builder = traced_service("billing");
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    const auto request = trace::Provider::GetTracerProvider()->GetTracer("test")->StartSpan("GET /order");
    {
        const trace::Scope scope{request};
        billing->publish(order_placed{"17"});
    }
    request->End();
    EXPECT_EQ(span("publish ferry.scenarios.order-placed").parent, hex(request->GetContext().span_id()));
    EXPECT_EQ(span("process billing.order-placed").trace_id, hex(request->GetContext().trace_id()));
}

TEST_F(Tracing, continues_the_trace_that_a_message_brings_along) { // B97
    auto builder = traced_service("billing");
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"},
                     {.headers = {{"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}});
    EXPECT_EQ(span("publish ferry.scenarios.order-placed").parent, "00f067aa0ba902b7");
    EXPECT_EQ(span("receive billing.order-placed").trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST_F(Tracing, of_what_a_handler_publishes_goes_on_in_the_trace_of_its_message) { // B97
    auto builder = traced_service("billing");
    builder->handle<order_placed>(
        [](const order_placed& order, consume_context& context) { context.publish(invoice_created{order.order_id}); });
    builder->handle<invoice_created>([](const invoice_created&) {});
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    const told_span second = span("receive billing.invoice-created");
    const told_span published = span("publish ferry.scenarios.invoice-created");
    EXPECT_EQ(second.parent, published.id);
    EXPECT_EQ(published.parent, span("process billing.order-placed").id);
    EXPECT_EQ(published.attributes.at("messaging.operation.type"), "create") << "it left when the handler had returned";
    EXPECT_EQ(second.trace_id, span("publish ferry.scenarios.order-placed").trace_id);
}

TEST_F(Tracing, of_a_request_has_the_reply_and_few_names) { // B97
    auto builder = traced_service("labels");
    builder->serve<print_label>([](const print_label& order) { return label_printed{"label " + order.order_id}; });
    const auto labels = started(*builder);
    (void)labels->request<label_printed>(print_label{"17"});
    const told_span replied = span("reply (temporary)");
    EXPECT_EQ(replied.trace_id, span("request print-label").trace_id);
    EXPECT_EQ(replied.parent, span("process print-label").id);
    EXPECT_THAT(replied.attributes.at("messaging.destination.name"), ::testing::StartsWith("labels.replies."));
}

TEST_F(Tracing, shows_every_attempt_and_the_dead_letter) { // B98
    auto builder = traced_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(1, 1ms); });
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"declined"}; });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    const told_span received = span("receive billing.order-placed");
    const auto attempts = spans("process billing.order-placed", 2);
    ASSERT_THAT(attempts, SizeIs(2));
    for (const told_span& each : attempts) {
        EXPECT_EQ(each.status, trace::StatusCode::kError);
        EXPECT_EQ(each.parent, received.id);
        EXPECT_THAT(each.events, ElementsAre("exception"));
        EXPECT_THAT(each.attributes, Contains(Pair("error.type", "std::runtime_error")));
    }
    EXPECT_EQ(attempts[1].attributes.at("ferry.attempt"), "2");
    EXPECT_EQ(received.status, trace::StatusCode::kError);
    EXPECT_THAT(received.events, ElementsAre("retried", "dead-lettered"));
    EXPECT_THAT(received.attributes, Contains(Pair("ferry.outcome", "dead-lettered")));
}

TEST_F(Tracing, shows_a_redelivery_in_the_same_trace) { // B98
    std::atomic<int> calls{0};
    auto builder = traced_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({1ms}); });
    builder->handle<order_placed>([&](const order_placed&) {
        if (++calls == 1) {
            throw std::runtime_error{"not yet"};
        }
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    const auto received = spans("receive billing.order-placed", 2);
    const told_span published = span("publish ferry.scenarios.order-placed");
    ASSERT_THAT(received, SizeIs(2));
    EXPECT_EQ(received[0].status, trace::StatusCode::kError);
    EXPECT_THAT(received[0].events, ElementsAre("redelivered"));
    EXPECT_EQ(received[0].parent, published.id);
    EXPECT_EQ(received[1].status, trace::StatusCode::kUnset);
    EXPECT_EQ(received[1].parent, published.id);
    EXPECT_THAT(received[1].attributes, Contains(Pair("ferry.redelivery", "1")));
}

TEST_F(Tracing, shows_that_a_message_has_expired) { // B98
    auto builder = traced_service("billing");
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    envelope late = order(R"({"order_id":"17"})");
    late.deliver_by = time_point{1s};
    inject("billing.order-placed", late);
    const told_span received = span("receive billing.order-placed");
    EXPECT_THAT(received.events, ElementsAre("expired"));
    EXPECT_EQ(received.attributes.at("ferry.outcome"), "expired");
}

TEST_F(Tracing, shows_what_a_policy_and_the_broker_make_of_a_failure) { // B98
    std::atomic<int> calls{0};
    auto builder = traced_service("billing");
    builder->resilience([](exception_policy& policy) { policy.on<std::invalid_argument>().discard(); });
    builder->endpoint("desk", [&](endpoint_builder& endpoint) {
        endpoint.no_error_queue().handle<order_placed>([&](const order_placed& order) {
            if (order.order_id == "unwanted") {
                throw std::invalid_argument{"nobody wants it"};
            }
            if (++calls == 1) {
                throw std::runtime_error{"declined"};
            }
        });
    });
    const auto billing = started(*builder);
    inject("desk", order(R"({"order_id":"unwanted"})"));
    const told_span discarded = span("receive desk");
    EXPECT_THAT(discarded.events, ElementsAre("discarded"));
    EXPECT_EQ(discarded.attributes.at("ferry.outcome"), "discarded");
    EXPECT_EQ(discarded.status, trace::StatusCode::kUnset) << "a policy wants that";
    inject("desk", order(R"({"order_id":"bad"})"));
    const told_span rejected = spans("receive desk", 3).at(1);
    EXPECT_THAT(rejected.events, ElementsAre("rejected"));
    EXPECT_EQ(rejected.attributes.at("ferry.outcome"), "rejected");
    EXPECT_EQ(rejected.attributes.at("error.type"), "std::runtime_error");
    EXPECT_EQ(rejected.status, trace::StatusCode::kError);
}

TEST_F(Tracing, shows_that_nobody_handles_a_message) { // B98
    auto builder = traced_service("billing");
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    envelope strange = order("{}");
    strange.message_type = "urn:message:of-others";
    inject("billing.order-placed", strange);
    const told_span received = span("receive billing.order-placed");
    EXPECT_THAT(received.events, ElementsAre("skipped"));
    EXPECT_EQ(received.attributes.at("ferry.outcome"), "skipped");
    EXPECT_EQ(received.status, trace::StatusCode::kUnset);
}

TEST_F(Tracing, shows_that_a_message_goes_back_since_its_error_queue_is_out_of_reach) { // B98
    broker = std::make_shared<memory::broker>(memory::broker_options{.max_queue_messages = 1, .max_waiting_sends = 0});
    auto builder = traced_service("billing");
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"declined"}; });
    const auto billing = started(*builder);
    inject("billing.order-placed_error", order("full"));
    billing->publish(order_placed{"17"});
    const told_span received = spans("receive billing.order-placed").front();
    EXPECT_THAT(received.events, ElementsAre("exception", "returned"));
    EXPECT_EQ(received.attributes.at("ferry.outcome"), "returned");
    EXPECT_EQ(received.attributes.at("error.type"), "ferry::transport_error");
    EXPECT_EQ(received.status, trace::StatusCode::kError);
}

TEST_F(Tracing, shows_that_a_message_goes_back_since_the_bus_stops) { // B98
    watched<bool> begun{false};
    auto builder = traced_service("billing");
    builder->handle<order_placed>([&](const order_placed&, consume_context& context) {
        watched<bool> asked{false};
        const std::stop_callback on_stop{context.stopping(), [&] { asked.change([](bool& now) { now = true; }); }};
        begun.change([](bool& now) { now = true; });
        (void)asked.eventually([](bool now) { return now; });
        throw std::runtime_error{"asked to stop"};
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(begun.eventually([](bool now) { return now; }));
    billing->stop();
    const told_span received = span("receive billing.order-placed");
    EXPECT_THAT(received.events, ElementsAre("returned"));
    EXPECT_EQ(received.attributes.at("ferry.outcome"), "returned");
    EXPECT_EQ(received.status, trace::StatusCode::kUnset);
}

TEST_F(Tracing, shows_a_failure_where_a_command_finds_no_queue) { // B98
    auto builder = traced_service("shop");
    const auto selling = started(*builder);
    EXPECT_THROW(selling->send(ship_order{"17"}), transport_error);
    EXPECT_THROW((void)selling->request<label_printed>(print_label{"17"}), transport_error);
    for (const std::string name : {"send ship-order", "request print-label"}) {
        const told_span sent = span(name);
        EXPECT_THAT(sent.events, ElementsAre("unroutable", "exception"));
        EXPECT_EQ(sent.status, trace::StatusCode::kError);
        EXPECT_EQ(sent.attributes.at("error.type"), "ferry::transport_error");
    }
}

TEST_F(Tracing, shows_no_failure_where_an_event_finds_nobody) { // B98
    auto builder = traced_service("shop");
    const auto selling = started(*builder);
    selling->publish(order_placed{"17"});
    const told_span sent = span("publish ferry.scenarios.order-placed");
    EXPECT_THAT(sent.events, ElementsAre("unroutable"));
    EXPECT_EQ(sent.status, trace::StatusCode::kUnset);
}

TEST_F(Tracing, shows_a_failure_where_a_scheduled_command_finds_no_queue) { // B98
    auto builder = traced_service("shop");
    const auto selling = started(*builder);
    (void)selling->schedule_send(ship_order{"17"}, 1ms);
    (void)selling->schedule_publish(order_placed{"17"}, 1ms);
    const auto of_both = spans("send ship-order", 2); // the call, and what came of it
    const told_span& sent = of_both.at(1);
    EXPECT_EQ(sent.kind, trace::SpanKind::kClient);
    EXPECT_THAT(sent.events, ElementsAre("unroutable", "exception"));
    EXPECT_EQ(sent.status, trace::StatusCode::kError);
    const told_span event = span("send ferry.scenarios.order-placed");
    EXPECT_THAT(event.events, ElementsAre("unroutable"));
    EXPECT_EQ(event.status, trace::StatusCode::kUnset);
}

TEST_F(Tracing, of_the_relay_is_nobodys_child) { // B97
    auto builder = traced(service("billing", {.relay = {.publish_immediately = true}}));
    builder->handle<order_placed>(
        [](const order_placed& order, consume_context& context) { context.publish(invoice_created{order.order_id}); });
    const auto billing = started(*builder);
    inject("billing.order-placed", order(R"({"order_id":"17"})"));
    const told_span relayed = span("relay outbox");
    EXPECT_EQ(relayed.parent, "");
    EXPECT_THAT(relayed.links, ElementsAre(span("publish ferry.scenarios.invoice-created").id));
}

TEST_F(Tracing, leads_through_the_outbox) { // B97
    auto builder = traced(service("billing"));
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    const told_span received = span("receive billing.order-placed");
    const told_span published = span("publish ferry.scenarios.order-placed");
    const told_span relayed = span("relay outbox");
    EXPECT_EQ(received.parent, published.id);
    EXPECT_EQ(published.attributes.at("messaging.operation.type"), "create");
    EXPECT_EQ(relayed.kind, trace::SpanKind::kClient);
    EXPECT_THAT(relayed.links, ElementsAre(published.id));
    EXPECT_THAT(relayed.attributes,
                IsSupersetOf({Pair("messaging.operation.type", "send"), Pair("messaging.batch.message_count", "1")}));
}

TEST_F(Tracing, leads_through_the_schedule) { // B97
    for (const bool stored : {false, true}) {
        ended.clear();
        auto builder = stored ? traced(service("billing")) : traced_service("billing");
        builder->handle<order_placed>([](const order_placed&) {});
        const auto billing = started(*builder);
        (void)billing->schedule_publish(order_placed{"17"}, 1ms);
        EXPECT_EQ(span("receive billing.order-placed").parent, span("publish ferry.scenarios.order-placed").id);
        billing->stop();
        if (!stored) {
            const told_span sent = span("send ferry.scenarios.order-placed");
            EXPECT_EQ(sent.kind, trace::SpanKind::kClient);
            EXPECT_EQ(sent.parent, span("publish ferry.scenarios.order-placed").id);
        } else {
            EXPECT_THAT(span("relay outbox").links, ElementsAre(span("publish ferry.scenarios.order-placed").id));
        }
    }
}

TEST_F(Tracing, shows_a_duplicate) { // B98
    auto builder = traced(service("billing"));
    builder->handle<order_placed>([](const order_placed&) {});
    const auto billing = started(*builder);
    envelope raw = order(R"({"order_id":"17"})");
    raw.message_id = id_source{17}.next(time_point{1s});
    inject("billing.order-placed", raw);
    inject("billing.order-placed", raw);
    const auto attempts = spans("process billing.order-placed", 2);
    EXPECT_THAT(attempts.at(0).events, IsEmpty());
    EXPECT_THAT(attempts.at(1).events, ElementsAre("duplicate"));
}

TEST_F(Tracing, links_the_messages_that_share_a_commit) { // B97
    const auto builder = [&] {
        auto one = traced(service("billing"));
        one->endpoint("billing.order-placed", [](endpoint_builder& endpoint) {
            endpoint.group_commit(8).handle<order_placed>([](const order_placed&) {});
        });
        return one;
    };
    started(*builder())->stop(); // so that the queue is there
    for (int i = 0; i < 4; ++i) {
        envelope raw = order(R"({"order_id":"17"})");
        raw.headers.set("traceparent",
                        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b" + std::to_string(i) + "-01");
        inject("billing.order-placed", raw);
    }
    const auto billing = started(*builder());
    const auto commits = spans("commit billing.order-placed");
    ASSERT_THAT(commits, ::testing::Not(IsEmpty()));
    const told_span& first = commits.front();
    EXPECT_EQ(std::to_string(first.links.size()), first.attributes.at("messaging.batch.message_count"));
    EXPECT_THAT(first.links, Each(::testing::StartsWith("00f067aa0ba902b")));
}

TEST_F(Tracing, of_a_group_tells_what_holds_if_its_commit_succeeds) { // B98
    watched<bool> begun{false};
    std::atomic<bool> all_there{false};
    auto builder = traced(service("billing"));
    builder->group_commit(64).handle<order_placed>([&](const order_placed& order) {
        if (order.order_id == "first") { // until all the others are where the slot takes them from
            begun.change([](bool& now) { now = true; });
            EXPECT_TRUE(testing::eventually([&] { return all_there && broker->depth("billing.order-placed") == 0; }));
        }
    });
    const auto billing = started(*builder);
    const auto traced_order = [&](const std::string& id) {
        envelope raw = order(R"({"order_id":")" + id + R"("})");
        raw.headers.set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        return raw;
    };
    inject("billing.order-placed", traced_order("first"));
    ASSERT_TRUE(begun.eventually([](bool now) { return now; }));
    envelope late = traced_order("late");
    late.deliver_by = time_point{1s};
    for (const envelope& each : {traced_order("second"), late, traced_order("third")}) {
        inject("billing.order-placed", each);
    }
    all_there = true;
    const told_span commit = span("commit billing.order-placed");
    EXPECT_EQ(commit.attributes.at("messaging.batch.message_count"), "2") << "one of them has ended already";
    EXPECT_THAT(commit.links, SizeIs(2));
    const auto received = spans("receive billing.order-placed", 4);
    EXPECT_FALSE(received.at(0).attributes.contains("ferry.in_group"));
    for (const std::size_t i : {1U, 2U, 3U}) {
        EXPECT_EQ(received.at(i).attributes.at("ferry.in_group"), "true");
    }
}

TEST_F(Tracing, tells_log_lines_where_they_belong) { // B98
    record<std::string> placed;
    auto builder = traced_service("billing");
    builder->log([&](const log_line& line) {
        if (line.level == log_level::error) {
            placed.add(line.trace.trace_id + " " + line.trace.span_id);
        }
    });
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"declined"}; });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(placed.reaches(1));
    const told_span received = span("receive billing.order-placed");
    EXPECT_THAT(placed.all(), ElementsAre(received.trace_id + " " + received.id));
}

TEST_F(Tracing, leads_from_log_lines_about_rows_and_schedules_to_their_publisher) { // B98
    record<std::string> placed;
    const auto noted = [&](std::unique_ptr<bus_builder> builder) {
        builder->log([&](const log_line& line) {
            if (line.text.contains("is given up after ") || line.text.contains("is tried again in ")) {
                placed.add(line.trace.trace_id + " " + line.trace.span_id + " " +
                           (line.about.message != nullptr ? line.about.message->message_id.to_string() : ""));
            }
        });
        return traced(std::move(builder));
    };
    const auto expect_to_lead_to = [&](const told_span& sent) {
        ASSERT_TRUE(placed.reaches(1));
        EXPECT_EQ(placed.all().back(),
                  sent.trace_id + " " + sent.id + " " + sent.attributes.at("messaging.message.id"));
    };
    const auto of_rows = noted(service("shop", {.relay = {.poll_interval = 10ms, .attempts = 1}}));
    const auto selling = started(*of_rows);
    selling->send(ship_order{"17"});
    expect_to_lead_to(span("send ship-order"));
    selling->stop();
    const auto of_a_timer = noted(shop::service("shop"));
    const auto labelling = started(*of_a_timer);
    labelling->schedule_send(print_label{"17"}, 1ms);
    ASSERT_TRUE(placed.reaches(2));
    for (const told_span& each : spans("send print-label", 2)) {
        if (each.kind == trace::SpanKind::kProducer) {
            expect_to_lead_to(each);
        }
    }
}

TEST_F(Tracing, writes_nothing_when_nobody_has_set_it_up) { // B101
    trace::Provider::SetTracerProvider(nostd::shared_ptr<trace::TracerProvider>{new trace::NoopTracerProvider});
    record<bool> with_trace;
    auto builder = traced_service("billing");
    builder->handle<order_placed>([&](const order_placed&, consume_context& context) {
        with_trace.add(context.headers().contains("traceparent"));
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    ASSERT_TRUE(with_trace.reaches(1));
    EXPECT_THAT(with_trace.all(), ElementsAre(false));
}

} // namespace
} // namespace ferry::scenarios

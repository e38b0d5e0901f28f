#include "transport_suite.hpp"

namespace ferry::testing {

namespace {

using namespace std::chrono_literals;

constexpr time_point noon = std::chrono::sys_days{std::chrono::March / 1 / 2031} + 12h + 1ns;

uuid an_id(std::uint8_t seed) {
    std::array<std::uint8_t, 16> bytes{};
    bytes.fill(seed);
    return uuid{bytes};
}

headers every_kind_of_header() {
    return {
        {"nothing", header_value{}},
        {"yes", true},
        {"no", false},
        {"small", -1},
        {"large", std::numeric_limits<std::int64_t>::max()},
        {"real", 0.1},
        {"text", "grüße, \"quoted\"\n"},
        {"empty-text", ""},
        {"bytes", header_value::bytes{std::byte{0}, std::byte{255}, std::byte{10}}},
        {"moment", noon},
        {"whole-second", noon - 1ns},
        {"array", header_value::array{1, "two", header_value::array{3.5}}},
        {"table", headers{{"inner", "value"}, {"deeper", headers{{"flag", true}}}}},
        {"x-from-a-later-version", "kept"},
        {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
    };
}

envelope with_every_field(const address& destination) {
    envelope message = a_message_to(destination);
    message.kind = message_kind::request;
    message.message_id = an_id(1);
    message.correlation_id = an_id(2);
    message.conversation_id = an_id(3);
    message.causation_id = an_id(4);
    message.enclosed_types = {"urn:message:shop:order", "urn:message:shop:event"};
    message.source = address::queue("shop");
    message.response = address::queue("replies");
    message.fault = address::exchange("faults");
    message.sent_at = noon;
    message.deliver_by = noon + 24h;
    message.scheduled_at = noon - 24h * 3650; // long ago: sent at once
    message.delivery_count = 3;
    message.partition_key = "customer-7";
    message.routing_key = "orders.eu";
    message.tenant = "acme";
    message.headers = every_kind_of_header();
    return message;
}

} // namespace

TEST_P(TransportSuite, carries_every_field_and_every_kind_of_header_unchanged) { // B3
    const std::string queue = a_queue();
    const envelope message = with_every_field(address::queue(queue));
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);

    ASSERT_EQ(send(shop, message).status, send_status::confirmed);

    ASSERT_TRUE(sink.await(1));
    EXPECT_EQ(sink.messages().front(), message);
}

TEST_P(TransportSuite, carries_every_field_and_every_kind_of_header_through_a_delay_unchanged) { // B3 B34
    const std::string queue = a_queue();
    envelope message = with_every_field(address::queue(queue));
    message.scheduled_at = clock{}() + harness().delay_resolution();
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);

    ASSERT_EQ(send(shop, message).status, send_status::confirmed);

    ASSERT_TRUE(sink.await(1));
    EXPECT_EQ(sink.messages().front(), message);
}

TEST_P(TransportSuite, carries_a_message_with_hardly_anything_in_it) { // B3
    const std::string queue = a_queue();
    envelope message;
    message.destination = address::queue(queue);
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);

    ASSERT_EQ(send(shop, message).status, send_status::confirmed);

    ASSERT_TRUE(sink.await(1));
    EXPECT_EQ(sink.messages().front(), message);
}

TEST_P(TransportSuite, carries_every_kind_of_message) { // B3
    const std::string queue = a_queue();
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    std::vector<envelope> sent;
    for (const auto kind :
         {message_kind::publish, message_kind::send, message_kind::request, message_kind::reply, message_kind::fault}) {
        sent.push_back(a_message_to(address::queue(queue)));
        sent.back().kind = kind;
        ASSERT_EQ(send(shop, sent.back()).status, send_status::confirmed);
    }

    ASSERT_TRUE(sink.await(sent.size()));
    EXPECT_EQ(sink.messages(), sent);
}

TEST_P(TransportSuite, carries_bodies_of_any_size_and_content) { // B3
    const std::string queue = a_queue();
    accepting_sink sink;
    const auto subscription = billing->consume(queue, {}, sink);
    std::string every_byte(256, '\0');
    std::ranges::generate(every_byte, [next = 0]() mutable { return static_cast<char>(next++); });
    const std::vector<std::string> bodies{"", std::string(1, '\0'), every_byte, std::string(1 << 20, 'x')};

    for (const std::string& body : bodies) {
        ASSERT_EQ(send(shop, a_message_to(address::queue(queue), body)).status, send_status::confirmed);
    }

    ASSERT_TRUE(sink.await(bodies.size()));
    EXPECT_EQ(sink.bodies(), bodies);
}

} // namespace ferry::testing

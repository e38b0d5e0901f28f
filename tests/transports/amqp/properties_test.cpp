#include "field_table.hpp"
#include "properties.hpp"

#include <ferry/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace ferry::amqp {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr time_point noon = std::chrono::sys_days{std::chrono::January / 1 / 2030} + std::chrono::hours{12};
constexpr message_origin from_exchange{.exchange = "shop", .routing_key = "order-placed"};
constexpr message_origin to_queue{.exchange = "", .routing_key = "billing"};

headers every_kind_of_header() {
    return {{"text", "t"},
            {"yes", true},
            {"count", -5},
            {"ratio", 0.25},
            {"infinite", std::numeric_limits<double>::infinity()},
            {"raw", header_value::bytes{std::byte{0}, std::byte{255}}},
            {"when", noon},
            {"exactly", noon + duration{1}},
            {"list", header_value::array{1, "two", header_value::array{}}},
            {"table", headers{{"inner", headers{{"deep", 1}}}, {"first", 1}}},
            {"nothing", header_value{}}};
}

envelope full_envelope() {
    id_source ids{7};
    envelope full;
    full.kind = message_kind::reply;
    full.message_id = ids.next(noon);
    full.correlation_id = ids.next(noon);
    full.conversation_id = ids.next(noon);
    full.causation_id = ids.next(noon);
    full.message_type = "urn:message:shop:order-placed";
    full.enclosed_types = {"urn:message:shop:event", "urn:message:shop:record"};
    full.content_type = "application/json";
    full.source = address::queue("billing.order-placed");
    full.destination = address::exchange("shop.order-placed");
    full.response = address::queue("billing.replies.1");
    full.fault = address::queue("billing.faults");
    full.sent_at = noon;
    full.deliver_by = noon + duration{1};
    full.scheduled_at = noon - std::chrono::years{70};
    full.delivery_count = 3;
    full.partition_key = "order-17";
    full.routing_key = "orders.eu";
    full.tenant = "blue";
    full.headers = every_kind_of_header();
    return full;
}

envelope smallest_envelope() {
    envelope smallest;
    smallest.destination = address::queue("billing"); // which every message has
    return smallest;
}

std::string written(const envelope& message) {
    buffer out;
    write_properties(message, out);
    return std::string{out.view()};
}

envelope read(std::string_view properties, const message_origin& origin = to_queue) {
    envelope message;
    (void)read_properties(properties, origin, message);
    return message;
}

arrived told_by(std::string_view properties) {
    envelope message;
    return read_properties(properties, to_queue, message);
}

/// Properties as another client writes them; the values come in the order of their flags, the first the highest.
std::string foreign(std::uint16_t flags, const std::string& values) {
    buffer out;
    put(out, flags);
    return std::string{out.view()} + values;
}

/// Where a message comes from that went straight to its destination.
message_origin origin_of(const envelope& message) {
    const address& to = message.destination;
    return to.kind == address::kind_type::exchange ? message_origin{.exchange = to.name, .routing_key = "any"}
                                                   : message_origin{.exchange = "", .routing_key = to.name};
}

std::string short_text(std::string_view text) {
    buffer out;
    put_short_text(out, text);
    return std::string{out.view()};
}

std::string with_headers(const headers& entries) {
    buffer out;
    write_table(entries, out);
    return foreign(0x2000, std::string{out.view()});
}

/// The same with the headers in the order of their names and each name once, as RabbitMQ passes them on.
std::string through_rabbitmq(const headers& entries) {
    std::vector<header> sorted(entries.begin(), entries.end());
    std::ranges::stable_sort(sorted, {}, &header::name);
    headers passed_on;
    for (const header& each : sorted) {
        if (!passed_on.contains(each.name)) {
            passed_on.set(each.name, each.value);
        }
    }
    return with_headers(passed_on);
}

headers headers_in(const envelope& message) {
    const std::string properties = written(message);
    octet_reader in{properties};
    const auto flags = in.number<std::uint16_t>();
    if ((flags & 0x8000) != 0) {
        in.short_text();
    }
    headers entries;
    if ((flags & 0x2000) != 0) {
        read_table(in.long_text(), entries);
    }
    return entries;
}

TEST(Properties, keep_every_field) { // B3
    const envelope full = full_envelope();
    EXPECT_EQ(read(written(full)), full);
}

TEST(Properties, keep_an_envelope_with_hardly_anything_in_it) { // B3
    EXPECT_EQ(read(written(smallest_envelope())), smallest_envelope());
}

TEST(Properties, keep_every_kind_of_message) {
    for (const auto kind :
         {message_kind::publish, message_kind::send, message_kind::request, message_kind::reply, message_kind::fault}) {
        for (const address& place : {address::queue("billing"), address::exchange("shop")}) {
            envelope message = smallest_envelope();
            message.kind = kind;
            message.destination = place;
            EXPECT_EQ(read(written(message), origin_of(message)), message) << place.to_string();
            message.response = address::queue("replies");
            EXPECT_EQ(read(written(message), origin_of(message)), message) << place.to_string() << " with a response";
        }
    }
}

TEST(Properties, leave_out_what_the_delivery_tells) {
    envelope event = smallest_envelope();
    event.kind = message_kind::publish;
    event.destination = address::exchange("shop");
    EXPECT_TRUE(headers_in(event).empty());

    event.scheduled_at = noon; // it comes by way of a queue in which it waits
    EXPECT_EQ(headers_in(event).text("x-ferry-kind"), "publish");
    EXPECT_EQ(headers_in(event).text("x-ferry-destination"), "exchange:shop");
}

TEST(Properties, tell_where_a_dead_letter_was_sent_first) {
    const envelope message =
        read(with_headers({{"x-first-death-exchange", "shop"}, {"x-first-death-queue", "billing"}}),
             {.exchange = "", .routing_key = "billing_error"});
    EXPECT_EQ(message.kind, message_kind::publish);
    EXPECT_EQ(message.destination, address::exchange("shop"));
}

TEST(Properties, keep_every_kind_of_address) {
    for (const address& place : {address::queue("q"), address::exchange("e"), address::queue(std::string(255, 'q')),
                                 address::queue(std::string(256, 'q')), address::exchange(std::string(300, 'e')),
                                 address::queue(""), address::exchange("")}) {
        envelope message = smallest_envelope();
        message.source = message.destination = message.response = message.fault = place;
        EXPECT_EQ(read(written(message), origin_of(message)), message) << place.to_string();
    }
}

TEST(Properties, keep_texts_too_long_for_a_property) {
    for (const std::size_t size : {1U, 255U, 256U, 5000U}) {
        envelope message = smallest_envelope();
        message.message_type = std::string(size, 't');
        message.content_type = std::string(size, 'c');
        EXPECT_EQ(read(written(message)), message) << size;
    }
}

TEST(Properties, keep_every_moment) {
    for (const time_point moment : {noon, noon + duration{1}, noon - std::chrono::years{100},
                                    time_point{} - duration{1}, time_point{}, time_point::min(), time_point::max()}) {
        envelope message = smallest_envelope();
        message.sent_at = message.deliver_by = message.scheduled_at = moment;
        EXPECT_EQ(read(written(message)), message) << moment.time_since_epoch().count();
    }
}

TEST(Properties, keep_the_largest_count) {
    envelope message = smallest_envelope();
    message.delivery_count = std::numeric_limits<std::uint32_t>::max();
    EXPECT_EQ(read(written(message)), message);
}

TEST(Properties, keep_headers_in_their_order_though_rabbitmq_sorts_them) { // B3
    envelope message = full_envelope();
    message.headers = every_kind_of_header();
    EXPECT_EQ(read(through_rabbitmq(headers_in(message))).headers, message.headers);
}

TEST(Properties, keep_headers_that_mean_something_to_rabbitmq) { // B3
    envelope message = smallest_envelope();
    message.headers = {{"x-last-death-queue", "a"},  {"BCC", "no list"},       {"x-death", header_value::array{1}},
                       {"x-delivery-count", 17},     {"CC", "no list either"}, {"x-first-death-queue", "ferry.delay.a"},
                       {"x-first-death-reason", "b"}};
    const headers travelling = headers_in(message);
    for (const header& each : message.headers) {
        EXPECT_FALSE(travelling.contains(each.name)) << each.name;
    }
    EXPECT_EQ(read(written(message)), message);
    EXPECT_EQ(read(through_rabbitmq(travelling)).headers, message.headers);
    EXPECT_EQ(told_by(written(message)).earlier_deliveries, 0U);
}

TEST(Properties, keep_headers_of_the_same_name_in_their_places) {
    const envelope message = read(foreign(0x2000, "\0\0\0\14\1bt\1\1at\1\1bt\0"s));
    ASSERT_EQ(message.headers.size(), 3U);
    EXPECT_EQ(read(written(message)), message);
}

TEST(Properties, say_the_order_of_headers_only_where_rabbitmq_changes_it) {
    envelope message = smallest_envelope();
    message.headers = {{"a", 1}, {"b", 2}};
    EXPECT_FALSE(headers_in(message).contains("x-ferry-header-order"));
    message.headers = {{"b", 1}, {"a", 2}};
    EXPECT_EQ(*headers_in(message).find("x-ferry-header-order"), header_value(header_value::array{"b", "a"}));
}

TEST(Properties, put_headers_that_somebody_added_behind_the_others) {
    const envelope message = read(with_headers(
        {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"x-ferry-header-order", header_value::array{"d", "gone", "b"}}}));
    EXPECT_EQ(message.headers, (headers{{"d", 4}, {"b", 2}, {"a", 1}, {"c", 3}}));
}

TEST(Properties, leave_nothing_of_the_envelope_they_are_read_into) {
    envelope used = full_envelope();
    used.body = buffer{"left over"};
    (void)read_properties(written(smallest_envelope()), to_queue, used);
    EXPECT_EQ(used, smallest_envelope());
}

TEST(Properties, are_those_of_amqp_where_it_has_them) {
    envelope message;
    message.kind = message_kind::send;
    message.message_id = uuid::parse("0190e1a8-0000-7000-8000-000000000001").value();
    message.correlation_id = uuid::parse("0190e1a8-0000-7000-8000-000000000002").value();
    message.conversation_id = message.message_id;
    message.content_type = "text/plain";
    message.response = address::queue("replies");
    message.sent_at = noon;
    message.message_type = "greeting";
    message.source = address::queue("shop.1");
    EXPECT_EQ(written(message),
              foreign(0b1011'0110'1110'1000, short_text("text/plain") + "\0\0\0\x16\x0Cx-ferry-kindS\0\0\0\4send"s +
                                                 "\2" + short_text(message.correlation_id.to_string()) +
                                                 short_text("replies") + short_text(message.message_id.to_string()) +
                                                 "\0\0\0\0\x70\xDC\x81\x40"s + //
                                                 short_text("greeting") + short_text("queue:shop.1")));
}

TEST(Properties, put_ferrys_headers_before_the_users) {
    const headers all = headers_in(full_envelope());
    std::vector<std::string> names;
    for (const header& each : all) {
        names.push_back(each.name);
    }
    EXPECT_THAT(names, testing::ElementsAre("x-ferry-kind", "x-ferry-conversation-id", "x-ferry-causation-id",
                                            "x-ferry-enclosed-types", "x-ferry-destination", "x-ferry-fault",
                                            "x-ferry-deliver-by", "x-ferry-scheduled-at", "x-ferry-delivery-count",
                                            "x-ferry-partition-key", "x-ferry-routing-key", "x-ferry-tenant",
                                            "x-ferry-header-order", "text", "yes", "count", "ratio", "infinite", "raw",
                                            "when", "exactly", "list", "table", "nothing"));
    EXPECT_EQ(all.text("x-ferry-kind"), "reply");
    EXPECT_EQ(all.text("x-ferry-destination"), full_envelope().destination.to_string());
    EXPECT_EQ(all.text("x-ferry-conversation-id"), full_envelope().conversation_id.to_string());
}

TEST(Properties, say_nothing_of_what_the_id_tells) {
    envelope message = smallest_envelope();
    message.kind = message_kind::send;
    message.sent_at = id_source::told(noon + duration{123'456'789});
    message.message_id = message.correlation_id = message.conversation_id = id_source{7}.next(*message.sent_at);
    EXPECT_EQ(headers_in(message), headers{});
    EXPECT_EQ(read(written(message)), message);
}

TEST(Properties, keep_a_moment_that_is_not_the_ids) { // B3
    envelope message = smallest_envelope();
    message.message_id = id_source{7}.next(noon + duration{123'456'789});
    for (const time_point moment : {noon, noon + duration{1}, noon + std::chrono::seconds{1}}) {
        message.sent_at = moment;
        EXPECT_EQ(read(written(message)), message) << moment.time_since_epoch().count();
    }
}

TEST(Properties, keep_headers_called_like_what_the_id_tells) { // B3
    envelope message = smallest_envelope();
    message.sent_at = noon;
    message.message_id = message.correlation_id = message.conversation_id = id_source{7}.next(noon);
    message.headers.set("x-ferry-conversation-id", full_envelope().causation_id.to_string());
    message.headers.set("x-ferry-sent-at", 7);
    EXPECT_EQ(read(written(message)), message);
}

TEST(Properties, keep_that_a_message_has_no_correlation_and_no_conversation) { // B3
    envelope message = smallest_envelope();
    message.message_id = full_envelope().message_id;
    EXPECT_EQ(read(written(message)), message);
}

TEST(Properties, let_a_foreign_message_begin_a_conversation_and_be_answered_by_its_id) {
    const std::string properties = foreign(0x0080, short_text("order 17"));
    const envelope message = read(properties);
    EXPECT_EQ(message.conversation_id, message.message_id);
    EXPECT_EQ(message.correlation_id, message.message_id);
}

TEST(Properties, repeat_a_foreign_correlation_id_as_it_is) {
    const std::string request = foreign(0x0400, short_text("call 1"));
    envelope reply = smallest_envelope();
    reply.correlation_id = read(request).correlation_id;
    reply.headers.set("amqp-correlation-id", "call 1");
    EXPECT_THAT(written(reply), ::testing::Not(::testing::HasSubstr(reply.correlation_id.to_string())));
    EXPECT_EQ(read(written(reply)), reply);
}

TEST(Properties, repeat_no_foreign_correlation_id_that_stands_for_another_one) {
    envelope reply = smallest_envelope();
    reply.correlation_id = full_envelope().correlation_id;
    reply.headers.set("amqp-correlation-id", "call 1");
    EXPECT_EQ(read(written(reply)), reply);
    reply.correlation_id = read(foreign(0x0400, short_text("call 1"))).correlation_id;
    reply.headers.set("amqp-correlation-id", std::string(300, 'x')); // longer than a property can be
    EXPECT_EQ(read(written(reply)), reply);
}

TEST(Properties, keep_a_source_however_long_it_is) { // B3
    envelope message = smallest_envelope();
    for (const std::size_t size : {1UL, 249UL, 250UL, 300UL}) {
        for (const address& source :
             {address::queue(std::string(size, 'q')), address::exchange(std::string(size, 'e'))}) {
            message.source = source;
            EXPECT_EQ(read(written(message)), message) << source.to_string();
        }
    }
}

TEST(Properties, take_no_foreign_application_for_a_source) {
    EXPECT_EQ(read(foreign(0x0008, short_text("shop"))).source, address{});
}

TEST(Properties, have_no_headers_when_there_is_nothing_to_say) {
    envelope message = smallest_envelope();
    message.source = address::queue("shop.1");
    message.message_id = message.correlation_id = message.conversation_id = id_source{7}.next(noon);
    message.destination = address::queue(std::string{to_queue.routing_key});
    message.kind = message_kind::send;
    constexpr unsigned char headers_flag = 0x20;
    EXPECT_EQ(static_cast<unsigned char>(written(message).front()) & headers_flag, 0);
}

TEST(Properties, leave_headers_that_are_not_what_ferry_writes_to_the_user) {
    const headers strange{{"x-ferry-kind", "parcel"},
                          {"x-ferry-conversation-id", "no id"},
                          {"x-ferry-causation-id", 7},
                          {"x-ferry-type", ""},
                          {"x-ferry-enclosed-types", header_value::array{"a", 1}},
                          {"x-ferry-source", "nowhere"},
                          {"x-ferry-destination", true},
                          {"x-ferry-sent-at", "early"},
                          {"x-ferry-deliver-by", "soon"},
                          {"x-ferry-scheduled-at", noon},
                          {"x-ferry-delivery-count", -1},
                          {"x-ferry-tenant", 5},
                          {"x-ferry-header-order", header_value::array{}},
                          {"x-ferry-future", "unknown"},
                          {"x-delivery-count", "many"}};
    const envelope message = read(with_headers(strange));
    EXPECT_EQ(message.headers, strange);
    EXPECT_EQ(message.kind, message_kind::send);
    EXPECT_EQ(message.destination, address::queue("billing"));
    EXPECT_EQ(read(written(message)), message);
}

TEST(Properties, take_the_first_of_two_headers_for_a_field) {
    envelope message = smallest_envelope();
    message.tenant = "blue";
    message.headers = {{"x-ferry-tenant", "green"}};
    EXPECT_EQ(read(written(message)), message);
}

TEST(Properties, tell_how_often_the_queue_has_delivered) {
    const std::string properties = with_headers({{"x-delivery-count", 3}, {"mine", 1}});
    EXPECT_EQ(told_by(properties).earlier_deliveries, 3U);
    EXPECT_EQ(read(properties).headers, (headers{{"mine", 1}}));
    EXPECT_EQ(told_by(with_headers({})).earlier_deliveries, 0U);
    EXPECT_EQ(told_by(with_headers({{"x-delivery-count", -3}})).earlier_deliveries, 0U);
    EXPECT_EQ(
        told_by(with_headers({{"x-delivery-count", std::numeric_limits<std::int64_t>::max()}})).earlier_deliveries,
        std::numeric_limits<std::uint32_t>::max());
}

headers died_in(std::string_view queue) {
    return {{"mine", 1},
            {"x-death", header_value::array{headers{{"queue", queue}}}},
            {"x-first-death-exchange", ""},
            {"x-first-death-queue", queue},
            {"x-first-death-reason", "expired"},
            {"x-last-death-exchange", ""},
            {"x-last-death-queue", queue},
            {"x-last-death-reason", "expired"}};
}

TEST(Properties, tell_nothing_of_a_wait_in_ferrys_own_queues) {
    EXPECT_EQ(read(with_headers(died_in("ferry.delay.30s"))).headers, (headers{{"mine", 1}}));
    EXPECT_EQ(read(with_headers(died_in("theirs"))).headers, died_in("theirs"));
}

TEST(Properties, give_a_foreign_message_the_nearest_kind_and_destination) {
    const envelope sent = read(foreign(0, ""), to_queue);
    EXPECT_EQ(sent.kind, message_kind::send);
    EXPECT_EQ(sent.destination, address::queue("billing"));

    const envelope published = read(foreign(0, ""), from_exchange);
    EXPECT_EQ(published.kind, message_kind::publish);
    EXPECT_EQ(published.destination, address::exchange("shop"));

    const envelope requested = read(foreign(0x0200, short_text("replies")), from_exchange);
    EXPECT_EQ(requested.kind, message_kind::request);
    EXPECT_EQ(requested.response, address::queue("replies"));
    EXPECT_EQ(requested.message_type, "");
}

TEST(Properties, derive_an_id_from_a_text_that_is_none) {
    const std::string properties = foreign(0x0080, short_text("order 17"));
    const envelope message = read(properties);
    EXPECT_EQ(message.message_id.to_string(), read(properties).message_id.to_string());
    EXPECT_EQ(message.message_id.version(), 8);
    EXPECT_EQ(message.message_id.bytes()[8] >> 6, 2);
    EXPECT_NE(message.message_id, read(foreign(0x0080, short_text("order 18"))).message_id);
    EXPECT_EQ(message.headers, (headers{{"amqp-message-id", "order 17"}}));
    EXPECT_EQ(read(written(message)), message);
}

// Inboxes remember these ids, so they must not change from one version of ferry to the next.
TEST(Properties, derive_the_same_id_for_ever) {
    EXPECT_EQ(read(foreign(0x0080, short_text("order 17"))).message_id.to_string(),
              "8e832c82-51c9-81fb-9897-81d7b40ad409");
}

TEST(Properties, keep_the_correlation_id_a_foreign_caller_waits_for) {
    const std::string properties = foreign(0x0400, short_text("call 1"));
    EXPECT_EQ(read(properties).headers.text("amqp-correlation-id"), "call 1");
    EXPECT_FALSE(read(properties).correlation_id.is_nil());

    const std::string usual = "0190e1a8-0000-7000-8000-00000000000a";
    EXPECT_TRUE(read(foreign(0x0400, short_text(usual))).headers.empty());
}

TEST(Properties, keep_an_id_in_capital_letters_as_it_was) {
    const std::string usual = "0190e1a8-0000-7000-8000-00000000000a";
    const std::string capital = "0190E1A8-0000-7000-8000-00000000000A";
    const std::string properties = foreign(0x0400, short_text(capital));
    EXPECT_EQ(read(properties).correlation_id, uuid::parse(capital));
    EXPECT_EQ(read(properties).headers.text("amqp-correlation-id"), capital);
    EXPECT_THAT(written(read(properties)), ::testing::Not(::testing::HasSubstr(usual)));
}

TEST(Properties, pass_over_what_ferry_has_no_use_for) {
    const envelope message = read(foreign(
        0xFFFC, short_text("text/plain") + short_text("gzip") + "\0\0\0\0\2\5"s + short_text("") + short_text("") +
                    short_text("60000") + short_text("") + "\0\0\0\0\0\0\0\1"s + short_text("type of \xFFtheirs") +
                    short_text("guest") + short_text("their app") + short_text("cluster")));
    envelope expected;
    expected.kind = message_kind::send;
    expected.content_type = "text/plain";
    expected.sent_at = time_point{std::chrono::seconds{1}};
    expected.message_type = "type of \xFFtheirs";
    expected.destination = address::queue("billing");
    EXPECT_EQ(message, expected);
}

TEST(Properties, take_a_timestamp_too_late_for_the_last_moment) {
    const envelope message = read(foreign(0x0040, "\0\0\1\x8F\xFF\xFF\xFF\xFF"s)); // milliseconds, as some clients do
    EXPECT_EQ(message.sent_at, time_point::max());
    EXPECT_EQ(read(written(message)), message);
}

TEST(Properties, refuse_octets_that_are_none) { // B39
    for (const std::string& octets :
         {""s, "\0"s, "\x80\0"s, "\x20\0\0\0\0\5"s, "\0\x40\0"s, "\0\0more"s, "\0\1"s, "\0\2"s, "\x20\0\0\0\0\2\1n"s}) {
        EXPECT_THROW((void)read(octets), envelope_error) << testing::PrintToString(octets);
    }
}

TEST(Properties, are_either_read_or_refused_however_damaged) {
    const std::string good = written(full_envelope());
    std::mt19937 random{2030};
    const auto below = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
    };
    int refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string bad = good;
        bad[below(bad.size())] = static_cast<char>(below(256));
        try {
            (void)read(bad);
        } catch (const envelope_error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 0);
}

} // namespace
} // namespace ferry::amqp

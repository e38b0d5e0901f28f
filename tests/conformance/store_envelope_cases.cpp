#include "store_suite.hpp"

#include <algorithm>
#include <limits>

namespace ferry::testing {

namespace {

headers every_kind_of_header() {
    return {
        {"nothing", header_value{}},
        {"yes", true},
        {"small", -1},
        {"large", std::numeric_limits<std::int64_t>::max()},
        {"real", 0.1},
        {"text", "grüße, \"quoted\"\n"},
        {"empty-text", ""},
        {"bytes", header_value::bytes{std::byte{0}, std::byte{255}, std::byte{10}}},
        {"moment", noon + 1ns},
        {"array", header_value::array{1, "two", header_value::array{3.5}}},
        {"table", headers{{"inner", "value"}, {"deeper", headers{{"flag", true}}}}},
        {"x-from-a-later-version", "kept"},
    };
}

envelope with_every_field() {
    envelope message = an_order();
    message.kind = message_kind::request;
    message.message_id = an_id(1);
    message.correlation_id = an_id(2);
    message.conversation_id = an_id(3);
    message.causation_id = an_id(4);
    message.enclosed_types = {"urn:message:shop:order", "urn:message:shop:event"};
    message.source = address::queue("shop");
    message.response = address::queue("replies");
    message.fault = address::exchange("faults");
    message.sent_at = noon + 1ns;
    message.deliver_by = noon + 24h;
    message.scheduled_at = noon - 24h;
    message.delivery_count = 3;
    message.tenant = "acme";
    message.headers = every_kind_of_header();
    return message;
}

std::string every_byte() {
    std::string bytes(256, '\0');
    std::ranges::generate(bytes, [next = 0]() mutable { return static_cast<char>(next++); });
    return bytes;
}

} // namespace

TEST_P(StoreSuite, keeps_every_field_and_every_kind_of_header_in_the_outbox) { // B3
    const envelope message = with_every_field();
    commit({stored_message::of(message, noon + 7ns, noon)});

    const auto batch = peer().take(1, noon, 0);

    ASSERT_EQ(batch->rows().size(), 1U);
    const outbox_row& row = batch->rows().front();
    EXPECT_EQ(unpacked(row.content), message);
    EXPECT_EQ(row.content.bytes(), packed_envelope{message}.bytes());
    EXPECT_EQ(row.partition_key, "");
    EXPECT_EQ(row.attempts, 0);
    EXPECT_EQ(row.created_at, noon + 7ns);
}

TEST_P(StoreSuite, keeps_every_field_and_every_kind_of_header_on_the_schedule) { // B3, B80
    envelope message = with_every_field();
    message.partition_key = "customer-7";
    commit_scheduled({stored_message::of(message, noon, noon)});
    ASSERT_EQ(shop().promote_due(1, noon), 1U);

    const auto batch = shop().take_shard(shard_of("customer-7").value(), 1, noon);

    ASSERT_TRUE(batch);
    ASSERT_EQ(batch->rows().size(), 1U);
    EXPECT_EQ(unpacked(batch->rows().front().content), message);
    EXPECT_EQ(batch->rows().front().partition_key, "customer-7");
}

TEST_P(StoreSuite, keeps_a_message_with_hardly_anything_in_it) { // B3
    commit({stored_message::of(envelope{}, noon, noon)});

    const auto batch = shop().take(1, noon, 0);

    ASSERT_EQ(batch->rows().size(), 1U);
    EXPECT_EQ(unpacked(batch->rows().front().content), envelope{});
}

TEST_P(StoreSuite, keeps_bodies_of_any_size_and_content) { // B3
    const std::vector<std::string> bodies{"", std::string(1, '\0'), every_byte(), std::string(1 << 20, '\0'),
                                          std::string(1 << 20, 'x')};
    std::vector<stored_message> rows;
    for (const std::string& each : bodies) {
        rows.push_back(a_row(each));
    }
    commit(std::move(rows));

    EXPECT_EQ(due(), bodies);
}

TEST_P(StoreSuite, keeps_bytes_that_are_no_envelope_as_they_are) { // B54
    stored_message broken = a_row();
    broken.content = packed_envelope::from_bytes(std::string_view{"\0not an envelope\xff", 17});
    const std::int64_t number = commit_dead(broken);

    const std::vector<dead_message> dead = shop().dead({.number = number});

    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead.front().content.bytes(), broken.content.bytes());
}

TEST_P(StoreSuite, keeps_texts_that_look_like_sql) { // B3
    const std::string odd = R"(it's; drop table "ferry" -- {} \' grüße)";
    envelope message = an_order();
    message.message_type = odd;
    message.partition_key = odd;
    message.tenant = odd;
    const std::int64_t number = commit_dead(stored_message::of(message, noon, noon), odd);

    const std::vector<dead_message> dead = shop().dead({.number = number, .message_type = odd, .tenant = odd});

    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead.front().message_type, odd);
    EXPECT_EQ(dead.front().tenant, odd);
    EXPECT_EQ(dead.front().error, odd);
    EXPECT_EQ(unpacked(dead.front().content), message);
}

} // namespace ferry::testing

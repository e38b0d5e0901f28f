#include <ferry/packed_envelope.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ferry {
namespace {

constexpr time_point noon = std::chrono::sys_days{std::chrono::January / 1 / 2030} + std::chrono::hours{12};

envelope full_envelope() {
    id_source ids{7};
    envelope full;
    full.kind = message_kind::request;
    full.message_id = ids.next(noon);
    full.correlation_id = ids.next(noon);
    full.conversation_id = ids.next(noon);
    full.causation_id = ids.next(noon);
    full.message_type = "urn:message:shop:order-placed";
    full.enclosed_types = {"urn:message:shop:event", ""};
    full.enclosed_types.pop_back();
    full.content_type = "application/json";
    full.source = address::queue("billing.order-placed");
    full.destination = address::exchange("shop.order-placed");
    full.response = address::queue("billing.replies.1");
    full.fault = address::queue("billing.faults");
    full.sent_at = noon;
    full.deliver_by = noon + std::chrono::nanoseconds{1};
    full.scheduled_at = noon - std::chrono::years{70};
    full.delivery_count = 3;
    full.partition_key = "order-17";
    full.routing_key = "orders.eu";
    full.tenant = "blue";
    full.headers = {{"text", "t"},
                    {"yes", true},
                    {"count", -5},
                    {"ratio", 0.25},
                    {"raw", header_value::bytes{std::byte{0}, std::byte{255}}},
                    {"when", noon},
                    {"list", header_value::array{1, "two", header_value::array{}}},
                    {"table", headers{{"inner", headers{{"deep", 1}}}}},
                    {"nothing", header_value{}}};
    full.body = buffer{std::string_view{"\0{\"total\":1}\0", 13}};
    return full;
}

envelope unpacked(const packed_envelope& packed) {
    envelope content;
    packed.unpack(content);
    return content;
}

TEST(PackedEnvelope, keeps_every_field) { // B3
    const envelope full = full_envelope();
    EXPECT_EQ(unpacked(packed_envelope{full}), full);
}

TEST(PackedEnvelope, keeps_an_empty_envelope_empty) { // B3
    EXPECT_EQ(unpacked(packed_envelope{envelope{}}), envelope{});
}

TEST(PackedEnvelope, leaves_nothing_of_the_envelope_it_is_unpacked_over) {
    envelope used = full_envelope();
    packed_envelope{envelope{}}.unpack(used);
    EXPECT_EQ(used, envelope{});
}

TEST(PackedEnvelope, shares_its_bytes_among_copies) {
    const packed_envelope packed{full_envelope()};
    const packed_envelope copy = packed; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(copy.bytes().data(), packed.bytes().data());
}

TEST(PackedEnvelope, passes_over_fields_of_a_newer_version) { // B4
    const envelope full = full_envelope();
    std::string bytes{packed_envelope{full}.bytes()};
    bytes += std::string{"\xC8\x05later", 7}; // tag 200, five bytes
    EXPECT_EQ(unpacked(packed_envelope::from_bytes(bytes)), full);
}

TEST(PackedEnvelope, passes_over_headers_of_a_kind_only_a_newer_version_knows) { // B4
    const envelope full = full_envelope();
    std::string bytes{packed_envelope{full}.bytes()};
    bytes += std::string{"\x13\x05\x03new\x63", 7};         // a header of kind 99
    bytes += std::string{"\x13\x07\x03new\x07\x01\x63", 9}; // an array that holds one
    EXPECT_EQ(unpacked(packed_envelope::from_bytes(bytes)), full);
}

TEST(PackedEnvelope, passes_over_a_type_without_a_name) {
    const envelope full = full_envelope();
    std::string bytes{packed_envelope{full}.bytes()};
    bytes += std::string{"\x07\x00", 2}; // it would be lost when the envelope is packed again
    EXPECT_EQ(unpacked(packed_envelope::from_bytes(bytes)), full);
}

TEST(PackedEnvelope, refuses_bytes_that_are_none) { // B39
    for (const std::string& bytes : {std::string{}, std::string{"{}"},
                                     std::string{"\xF1\x02\x03"
                                                 "abc",
                                                 6},
                                     std::string{"\xF1\x06\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 12}}) {
        EXPECT_THROW((void)unpacked(packed_envelope::from_bytes(bytes)), envelope_error);
    }
    EXPECT_THROW((void)unpacked(packed_envelope::from_bytes(std::string_view{})), envelope_error);
}

TEST(PackedEnvelope, refuses_headers_that_nest_without_end) {
    std::string value;
    for (int i = 0; i < 10'000; ++i) {
        value += std::string{"\x07\x01", 2}; // an array of one array of one ...
    }
    const std::string entry = std::string{"\x01n", 2} + value;
    std::string bytes = "\xF1\x13";
    bytes += static_cast<char>(0x80 | (entry.size() & 0x7f));
    bytes += static_cast<char>(0x80 | ((entry.size() >> 7) & 0x7f));
    bytes += static_cast<char>(entry.size() >> 14);
    EXPECT_THROW((void)unpacked(packed_envelope::from_bytes(bytes + entry)), envelope_error);
}

TEST(PackedEnvelope, either_reads_or_refuses_any_damaged_bytes) {
    const std::string good{packed_envelope{full_envelope()}.bytes()};
    std::mt19937 random{2030};
    const auto below = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
    };
    int refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string bad = good.substr(0, 1 + below(good.size()));
        bad[below(bad.size())] = static_cast<char>(below(256));
        try {
            (void)unpacked(packed_envelope::from_bytes(bad));
        } catch (const envelope_error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 0);
}

TEST(MessageKind, reads_what_it_writes) {
    for (const auto kind :
         {message_kind::publish, message_kind::send, message_kind::request, message_kind::reply, message_kind::fault}) {
        EXPECT_EQ(parse_message_kind(to_string(kind)), kind);
    }
    EXPECT_FALSE(parse_message_kind("Publish"));
}

TEST(Address, reads_what_it_writes) {
    for (const address& place : {address::queue("a.b"), address::exchange("c")}) {
        EXPECT_EQ(address::parse(place.to_string()), place);
    }
    for (const char* text : {"", "queue", "queue:", "topic:a", "exchange:"}) {
        EXPECT_FALSE(address::parse(text)) << text;
    }
}

} // namespace
} // namespace ferry

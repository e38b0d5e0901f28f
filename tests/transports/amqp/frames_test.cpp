#include "frames.hpp"
#include "properties.hpp"

#include <ferry/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ferry::amqp {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::uint32_t least_frame_max = 4096;

envelope message_with(std::string_view body) {
    envelope message;
    message.message_type = "urn:message:shop:order-placed";
    message.destination = address::queue("billing");
    message.body = buffer{body};
    return message;
}

buffer published(const envelope& message, std::uint32_t frame_max = least_frame_max) {
    buffer out;
    write_publish(message, "shop", "key", 5, frame_max, out);
    return out;
}

std::vector<frame> frames_of(const buffer& bytes) {
    std::vector<frame> all;
    std::string_view rest = bytes.view();
    while (!rest.empty()) {
        all.push_back(first_frame(rest, least_frame_max).value());
        rest.remove_prefix(all.back().size);
    }
    return all;
}

std::string body_of(const std::vector<frame>& frames) {
    std::string body;
    for (const frame& each : frames) {
        body += each.type == body_frame ? each.payload : "";
    }
    return body;
}

TEST(Frames, are_found_at_the_beginning_of_bytes) {
    const std::string bytes = "\1\0\7\0\0\0\2ab\xCEnext"s;
    const auto found = first_frame(bytes, 10);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->type, method_frame);
    EXPECT_EQ(found->channel, 7);
    EXPECT_EQ(found->payload, "ab");
    EXPECT_EQ(found->size, 10U);
}

TEST(Frames, are_waited_for_until_they_are_complete) {
    const std::string bytes = "\10\0\0\0\0\0\2ab\xCE"s;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(first_frame(bytes.substr(0, size), 10));
    }
    EXPECT_TRUE(first_frame(bytes, 10));
}

TEST(Frames, are_refused_when_they_are_none) {
    EXPECT_THAT([] { (void)first_frame("\1\0\0\0\0\0\1a\xCD"s, 10); }, ThrowsMessage<error>(HasSubstr("end octet")));
    EXPECT_THAT([] { (void)first_frame("\1\0\0\0\0\0\3"s, 10); }, ThrowsMessage<error>(HasSubstr("11 octets")));
    EXPECT_THROW((void)first_frame("AMQP\0\0\x09\1"s, 131'072), error);
}

TEST(Frames, may_be_larger_than_agreed_when_rabbitmq_has_added_headers) {
    const std::string header = "\2\0\1\0\0\0\x0C"s + std::string(12, 'h') + "\xCE";
    EXPECT_TRUE(first_frame(header, 10));
    EXPECT_THROW((void)first_frame(header, 9), error);
}

TEST(Frames, publish_a_message_to_an_exchange) {
    const buffer bytes = published(message_with("hello"));
    const auto frames = frames_of(bytes);
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(frames[0].type, method_frame);
    EXPECT_EQ(frames[0].payload, "\0\x3C\0\x28\0\0\4shop\3key\1"s);
    EXPECT_EQ(frames[1].type, header_frame);
    EXPECT_EQ(frames[1].payload.substr(0, 12), "\0\x3C\0\0\0\0\0\0\0\0\0\5"s);
    EXPECT_EQ(frames[2].type, body_frame);
    EXPECT_EQ(frames[2].payload, "hello");
    for (const frame& each : frames) {
        EXPECT_EQ(each.channel, 5);
    }
}

TEST(Frames, publish_the_properties_of_a_message) {
    const envelope message = message_with("hello");
    const buffer bytes = published(message);
    envelope read;
    (void)read_properties(properties_of(frames_of(bytes)[1].payload), {.exchange = "", .routing_key = "billing"}, read);
    read.body = message.body;
    EXPECT_EQ(read, message);
}

TEST(Frames, publish_nothing_for_an_empty_body) {
    const buffer bytes = published(message_with(""));
    EXPECT_EQ(frames_of(bytes).size(), 2U);
}

TEST(Frames, publish_a_large_body_in_as_many_frames_as_it_takes) {
    constexpr std::size_t room = least_frame_max - frame_overhead;
    for (const std::size_t size : {room - 1, room, room + 1, 3 * room, 10 * room + 17}) {
        const std::string body(size, 'b');
        const buffer bytes = published(message_with(body));
        const auto frames = frames_of(bytes); // which refuses larger ones
        EXPECT_EQ(frames.size(), 2 + (size + room - 1) / room);
        EXPECT_EQ(body_of(frames), body);
    }
}

TEST(Frames, refuse_what_rabbitmq_has_no_room_for_and_leave_the_bytes_alone) {
    buffer out{"earlier"};
    const std::string long_name(256, 'n');
    const auto publish = [&](const envelope& message, std::string_view exchange, std::string_view routing_key) {
        write_publish(message, exchange, routing_key, 1, least_frame_max, out);
    };
    EXPECT_THAT([&] { publish(message_with("b"), long_name, "key"); },
                ThrowsMessage<error>(HasSubstr("name of the exchange \"nnn")));
    EXPECT_THAT([&] { publish(message_with("b"), "shop", long_name); },
                ThrowsMessage<error>(HasSubstr("routing key \"nnn")));

    envelope message = message_with("b");
    message.headers.set("large", std::string(least_frame_max, 'h'));
    EXPECT_THAT([&] { publish(message, "shop", "key"); },
                ThrowsMessage<error>(HasSubstr("and RabbitMQ takes at most 4096; move large headers into the body")));
    EXPECT_EQ(out.view(), "earlier");
}

TEST(Frames, publish_headers_that_just_fit) {
    envelope message = message_with("");
    message.headers.set("filling", "");
    const std::size_t left = least_frame_max - frames_of(published(message))[1].size;
    message.headers.set("filling", std::string(left, 'h'));
    EXPECT_EQ(frames_of(published(message))[1].size, least_frame_max);
    message.headers.set("filling", std::string(left + 1, 'h'));
    EXPECT_THROW((void)published(message), error);
}

TEST(Frames, are_copied_for_another_channel) {
    const buffer message = published(message_with(std::string(10'000, 'x')));
    buffer copied;
    write_on_channel(message.view(), 258, copied);
    const auto copies = frames_of(copied);
    const auto originals = frames_of(message);
    ASSERT_EQ(copies.size(), originals.size());
    for (std::size_t i = 0; i < copies.size(); ++i) {
        EXPECT_EQ(copies[i].channel, 258);
        EXPECT_EQ(copies[i].type, originals[i].type);
        EXPECT_EQ(copies[i].payload, originals[i].payload);
    }
}

TEST(Frames, bare_a_header_of_its_properties) {
    const buffer bytes = published(message_with("hello"));
    buffer out;
    write_bare_header(frames_of(bytes)[1], out);
    const auto frames = frames_of(out);
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames[0].type, header_frame);
    EXPECT_EQ(frames[0].channel, 5);
    EXPECT_EQ(frames[0].payload, "\0\x3C\0\0\0\0\0\0\0\0\0\5\0\0"s);
}

TEST(Frames, refuse_a_header_without_room_for_flags) {
    const std::string payload(13, '\0');
    buffer out;
    EXPECT_THROW((void)properties_of(payload), error);
    EXPECT_THROW(write_bare_header({.type = header_frame, .channel = 1, .payload = payload, .size = 21}, out), error);
    EXPECT_TRUE(out.empty());
}

TEST(Frames, have_a_size_where_the_broker_sets_no_limit) {
    EXPECT_EQ(largest_own_frame(4096), 4096U);
    EXPECT_EQ(largest_own_frame(0), 131072U);
    EXPECT_EQ(largest_frame_of_others(4096), 131072U) << "one of that size may come before they agree";
    EXPECT_EQ(largest_frame_of_others(200'000), 200'000U);
    EXPECT_GT(largest_frame_of_others(0), std::size_t{16} << 20) << "a whole message in one frame";
}

} // namespace
} // namespace ferry::amqp

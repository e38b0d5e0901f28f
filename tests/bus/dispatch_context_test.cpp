#include <ferry/dispatch_context.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ferry {
namespace {

class EnvelopeList : public ::testing::Test {
protected:
    void take(std::size_t count, std::size_t body = 10) {
        for (std::size_t i = 0; i < count; ++i) {
            envelope message;
            message.body.assign(std::string(body, 'x'));
            list.take(message);
        }
    }

    envelope_list list;
};

TEST_F(EnvelopeList, keeps_the_memory_of_a_few_messages) {
    take(most_kept_envelopes, 1'000);
    const std::size_t before = list.capacity();
    list.keep_first(0);
    EXPECT_EQ(list.capacity(), before);
    envelope message;
    list.take(message);
    EXPECT_GE(message.body.capacity(), 1'000U) << "what it gives in exchange";
}

TEST_F(EnvelopeList, gives_nothing_of_an_earlier_message_in_exchange) {
    envelope first;
    first.message_type = "urn:message:shop:order-placed";
    first.headers.set("own", 1);
    first.body.assign("{}");
    list.take(first);
    list.keep_first(0);
    envelope second;
    list.take(second);
    EXPECT_EQ(second, envelope{});
}

TEST_F(EnvelopeList, lets_go_of_the_memory_of_many) {
    take(10'000);
    list.keep_first(0);
    EXPECT_LE(list.capacity(), most_kept_envelopes);
}

TEST_F(EnvelopeList, lets_go_of_large_bodies) {
    take(1, most_kept_body + 1);
    list.keep_first(0);
    envelope message;
    list.take(message);
    EXPECT_EQ(message.body.capacity(), 0U);
}

TEST_F(EnvelopeList, never_lets_go_of_what_it_still_has) {
    take(1'000, most_kept_body + 1);
    list.keep_first(999);
    EXPECT_EQ(list.size(), 999U);
    EXPECT_EQ(list.all().back().body.size(), most_kept_body + 1);
}

TEST_F(EnvelopeList, stays_shorter_when_something_was_removed_meanwhile) {
    take(2);
    ASSERT_TRUE(list.remove(uuid{}));
    list.keep_first(2);
    EXPECT_EQ(list.size(), 1U);
}

TEST(DispatchContext, keeps_the_memory_of_a_body_unless_it_is_large) {
    dispatch_context context;
    context.envelope.body.reserve(most_kept_body);
    context.clear();
    EXPECT_EQ(context.envelope.body.capacity(), most_kept_body);
    context.envelope.body.reserve(most_kept_body + 1);
    context.clear();
    EXPECT_EQ(context.envelope.body.capacity(), 0U);
}

} // namespace
} // namespace ferry

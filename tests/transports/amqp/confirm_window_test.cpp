#include "confirm_window.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ferry::amqp {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ConfirmWindow : public ::testing::Test {
protected:
    /// Sends messages to these queues, one after the other.
    void send(const std::vector<std::string>& queues) {
        for (const std::string& each : queues) {
            window.sent(to(each, start + 10s));
        }
    }
    [[nodiscard]] static outgoing to(const std::string& queue, std::chrono::steady_clock::time_point deadline) {
        return {.frames = buffer{queue}, .place = place_of("", queue), .deadline = deadline};
    }
    [[nodiscard]] static std::vector<std::string> queues_of(const std::vector<outgoing>& messages) {
        std::vector<std::string> queues;
        for (const outgoing& each : messages) {
            queues.push_back(std::string{each.frames.view()} + (each.returned ? " returned" : ""));
        }
        return queues;
    }
    [[nodiscard]] std::vector<std::string> answered(std::uint64_t number, bool multiple = false) {
        std::vector<outgoing> messages;
        window.answered(number, multiple, messages);
        return queues_of(messages);
    }

    std::chrono::steady_clock::time_point start;
    confirm_window window{3};
};

TEST_F(ConfirmWindow, has_room_for_so_many_that_are_not_answered) {
    send({"a", "b"});
    EXPECT_TRUE(window.has_room());
    send({"c"});
    EXPECT_FALSE(window.has_room());
    EXPECT_THAT(answered(2), ElementsAre("b"));
    EXPECT_TRUE(window.has_room());
    EXPECT_FALSE(window.empty());
}

TEST_F(ConfirmWindow, takes_an_answer_for_one_or_for_all_up_to_it) {
    send({"a", "b", "c"});
    EXPECT_THAT(answered(2), ElementsAre("b"));
    EXPECT_THAT(answered(3, true), ElementsAre("a", "c"));
    EXPECT_TRUE(window.empty());
    send({"d"});
    EXPECT_THAT(answered(4), ElementsAre("d"));
}

TEST_F(ConfirmWindow, ignores_answers_for_what_it_does_not_know) {
    send({"a"});
    EXPECT_THAT(answered(7), IsEmpty());
    EXPECT_THAT(answered(1), ElementsAre("a"));
    EXPECT_THAT(answered(1), IsEmpty());
    EXPECT_THAT(answered(9, true), IsEmpty());
}

TEST_F(ConfirmWindow, remembers_the_oldest_of_those_that_could_be_the_returned_one) { // B6
    send({"a", "b", "a"});
    window.returned({}, place_of("", "a"));
    window.returned({}, place_of("", "nobody"));
    EXPECT_THAT(answered(3, true), ElementsAre("a returned", "b", "a"));
}

TEST_F(ConfirmWindow, gives_up_what_has_waited_too_long) {
    send({"a", "b"});
    window.sent(to("c", start + 20s));
    std::vector<outgoing> late;
    window.take_late(start + 10s, late);
    EXPECT_THAT(queues_of(late), ElementsAre("a", "b"));
    EXPECT_THAT(answered(2, true), IsEmpty()) << "too late";
    EXPECT_THAT(answered(3), ElementsAre("c"));
}

TEST_F(ConfirmWindow, finds_those_that_are_late_behind_others_that_are_not) {
    window.sent(to("young", start + 20s));
    window.sent(to("old", start + 10s)); // it had to wait for something before
    std::vector<outgoing> late;
    window.take_late(start + 10s, late);
    EXPECT_THAT(queues_of(late), ElementsAre("old"));
    EXPECT_THAT(answered(2, true), ElementsAre("young"));
}

TEST(WaitingMessages, that_are_late_are_taken_out_from_among_the_others) {
    const std::chrono::steady_clock::time_point start;
    std::deque<outgoing> waiting;
    for (const auto wait : {20s, 10s, 30s, 5s}) {
        waiting.push_back({.deadline = start + wait});
    }
    std::vector<outgoing> late;
    take_late(waiting, start + 10s, late);
    ASSERT_EQ(late.size(), 2U);
    EXPECT_EQ(late[1].deadline, start + 5s);
    ASSERT_EQ(waiting.size(), 2U);
    EXPECT_EQ(waiting.front().deadline, start + 20s);
}

TEST_F(ConfirmWindow, begins_from_one_when_its_channel_is_gone) {
    send({"a", "b"});
    std::vector<outgoing> all;
    window.take_all(all);
    EXPECT_THAT(queues_of(all), ElementsAre("a", "b"));
    EXPECT_TRUE(window.empty());
    send({"c"});
    EXPECT_THAT(answered(1), ElementsAre("c"));
}

TEST_F(ConfirmWindow, has_room_behind_one_that_is_never_answered) { // B92
    send({"stuck"});
    for (std::uint64_t number = 2; number <= 1'000; ++number) {
        ASSERT_TRUE(window.has_room());
        send({"next"});
        ASSERT_THAT(answered(number), ElementsAre("next"));
    }
    EXPECT_FALSE(window.empty());
    window.returned({}, place_of("", "stuck"));
    EXPECT_THAT(answered(1), ElementsAre("stuck returned"));
    EXPECT_TRUE(window.empty());
}

/// Of three that have no answer one lies far behind the others.
class OldMessages : public ConfirmWindow {
protected:
    OldMessages() {
        send({"stuck"});
        for (std::uint64_t number = 2; number <= 100; ++number) {
            send({"next"});
            (void)answered(number);
        }
        window.sent(to("young", start + 20s));
        send({"last"});
    }
};

TEST_F(OldMessages, are_answered_with_all_up_to_a_newer_one) {
    EXPECT_FALSE(window.has_room());
    EXPECT_THAT(answered(102, true), ElementsAre("stuck", "young", "last"));
    EXPECT_TRUE(window.empty());
}

TEST_F(OldMessages, are_late_like_others) {
    std::vector<outgoing> late;
    window.take_late(start + 10s, late);
    EXPECT_THAT(queues_of(late), ElementsAre("stuck", "last"));
    EXPECT_THAT(answered(1), IsEmpty());
    EXPECT_THAT(answered(101), ElementsAre("young"));
}

TEST_F(OldMessages, go_with_their_channel) {
    std::vector<outgoing> all;
    window.take_all(all);
    EXPECT_THAT(queues_of(all), ElementsAre("stuck", "young", "last"));
    EXPECT_TRUE(window.empty());
}

} // namespace
} // namespace ferry::amqp

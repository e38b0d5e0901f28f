#include "delay_levels.hpp"

#include <ferry/error.hpp>

#include <gmock/gmock.h>

#include <random>
#include <ranges>
#include <span>

namespace ferry::amqp {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename Call> std::string problem_of(Call call) {
    try {
        call();
        return "none";
    } catch (const error& problem) {
        return problem.what();
    }
}

TEST(DelayLevels, rounds_up_and_long_delays_to_about_a_second) {
    struct example {
        duration delay;
        std::uint64_t milliseconds;
    };
    for (const example& each :
         {example{duration::min(), 0}, example{-1ns, 0}, example{0ns, 0}, example{1ns, 1}, example{1ms, 1},
          example{1ms + 1ns, 2}, example{999'999us, 1000}, example{131'072ms, 131'072},
          example{131'072ms + 1ns, 132'096}, example{131'073ms, 132'096}, example{132'096ms, 132'096},
          example{132'097ms, 133'120}, example{1h, 3'600'384}, example{274'877'904'897ms, 274'877'905'920},
          example{274'877'905'920ms, 274'877'905'920}}) {
        EXPECT_EQ(rounded(each.delay), each.milliseconds) << each.delay;
    }
}

TEST(DelayLevels, refuse_a_delay_that_does_not_fit) {
    EXPECT_EQ(
        problem_of([] { (void)rounded(274'877'905'921ms); }),
        "a message cannot be delayed by 274877905921 ms; the longest delay is 274877905920 ms, which is more than "
        "3181 days");
    EXPECT_THAT(problem_of([] { (void)rounded(duration::max()); }), HasSubstr("the longest delay is"));
}

TEST(DelayLevels, begin_with_the_highest_bit) {
    struct example {
        std::uint64_t milliseconds;
        int level;
    };
    for (const example& each : {example{0, -1}, example{1, 0}, example{2, 1}, example{3, 1}, example{1024, 10},
                                example{longest_delay_milliseconds, 37}}) {
        EXPECT_EQ(first_level(each.milliseconds), each.level);
    }
}

TEST(DelayLevels, are_named_by_number) {
    const delay_names names;
    EXPECT_EQ(names.level(0), "ferry.delay.00");
    EXPECT_EQ(names.level(9), "ferry.delay.09");
    EXPECT_EQ(names.level(37), "ferry.delay.37");
    EXPECT_EQ(names.delivery(), "ferry.delay.deliver");
    EXPECT_EQ(names.undelivered(), "ferry.delay.undelivered");
    EXPECT_EQ(delay_names{"shop.quorum"}.level(5), "shop.quorum.05");
    EXPECT_EQ(delay_names{"shop.quorum"}.delivery(), "shop.quorum.deliver");
    EXPECT_EQ(delay_names{"shop.quorum"}.undelivered(), "shop.quorum.undelivered");
}

TEST(DelayLevels, write_bits_and_destination_into_the_key) {
    EXPECT_EQ(routing_key(5, address::queue("billing")), "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0."
                                                         "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.1.queue.billing");
    EXPECT_EQ(routing_key(std::uint64_t{1} << 37U, address::exchange("shop.order-placed")),
              "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0."
              "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.exchange.shop.order-placed");
}

TEST(DelayLevels, write_patterns) {
    EXPECT_EQ(one_pattern(37), "1.#");
    EXPECT_EQ(zero_pattern(37), "0.#");
    EXPECT_EQ(one_pattern(35), "*.*.1.#");
    EXPECT_EQ(zero_pattern(35), "*.*.0.#");
    EXPECT_EQ(delivery_pattern(address::queue("a.b")), "*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*."
                                                       "*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.queue.a.b");
}

TEST(DelayLevels, refuse_a_destination_that_does_not_fit_into_a_key) {
    const auto longest_queue = address::queue(std::string(173, 'q'));
    const auto longest_exchange = address::exchange(std::string(170, 'e'));
    EXPECT_EQ(routing_key(1, longest_queue).size(), 255U);
    EXPECT_EQ(routing_key(1, longest_exchange).size(), 255U);
    EXPECT_EQ(delivery_pattern(longest_queue).size(), 255U);

    const auto queue = address::queue(std::string(174, 'q'));
    const auto exchange = address::exchange(std::string(171, 'e'));
    EXPECT_EQ(problem_of([&] { (void)routing_key(1, queue); }),
              "a message to " + queue.to_string() + " cannot be delayed: the name has 174 bytes; make it 173 or fewer");
    EXPECT_THAT(problem_of([&] { (void)delivery_pattern(exchange); }), HasSubstr("171 bytes; make it 170 or fewer"));
}

TEST(DelayLevels, refuse_a_destination_that_would_get_the_messages_of_others) {
    for (const std::string_view name : {"#", "*", "a.#", "*.a", "a.*.b"}) {
        EXPECT_THAT(problem_of([&] { (void)delivery_pattern(address::queue(name)); }),
                    HasSubstr("'*' and '#' stand for other words"))
            << name;
        EXPECT_THAT(problem_of([&] { (void)routing_key(1, address::queue(name)); }), HasSubstr("cannot be delayed"));
    }
    for (const std::string_view name : {"a#", "#a.b", "a*b", "**"}) {
        EXPECT_EQ(problem_of([&] { (void)delivery_pattern(address::queue(name)); }), "none") << name;
    }
    EXPECT_THAT(problem_of([] { (void)routing_key(1, address{}); }), HasSubstr("without a destination"));
}

using words = std::vector<std::string_view>;

words words_of(std::string_view text) {
    words all;
    for (const auto word : std::views::split(text, '.')) {
        all.emplace_back(word.begin(), word.end());
    }
    return all;
}

/// As a topic exchange does it.
bool matches(std::span<const std::string_view> pattern, std::span<const std::string_view> key) {
    if (pattern.empty()) {
        return key.empty();
    }
    if (pattern.front() == "#") {
        return matches(pattern.subspan(1), key) || (!key.empty() && matches(pattern, key.subspan(1)));
    }
    return !key.empty() && (pattern.front() == "*" || pattern.front() == key.front()) &&
           matches(pattern.subspan(1), key.subspan(1));
}

bool matches(const std::string& pattern, const std::string& key) {
    const words pattern_words = words_of(pattern);
    const words key_words = words_of(key);
    return matches(std::span{pattern_words}, std::span{key_words});
}

/// A broker with all levels, and destinations bound to its delivery exchange.
struct delaying_broker {
    struct arrival {
        std::uint64_t milliseconds = 0;
        std::vector<address> at = {};
    };

    [[nodiscard]] arrival send(std::uint64_t milliseconds, const address& destination) const {
        return pass(first_level(milliseconds), routing_key(milliseconds, destination));
    }
    [[nodiscard]] arrival pass(int level, const std::string& key) const {
        arrival end;
        for (; level >= 0; --level) {
            const bool waits = matches(one_pattern(level), key);
            EXPECT_NE(waits, matches(zero_pattern(level), key)) << "it would be doubled or lost at level " << level;
            end.milliseconds += waits ? std::uint64_t{1} << static_cast<unsigned>(level) : 0;
        }
        std::ranges::copy_if(bound, std::back_inserter(end.at),
                             [&](const address& each) { return matches(delivery_pattern(each), key); });
        return end;
    }

    std::vector<address> bound;
};

std::vector<duration> many_delays() {
    std::vector<duration> all{0ms, 1ms, 131'071ms, 131'072ms, 131'073ms, 24h, 274'877'905'920ms};
    std::mt19937_64 random{7};
    for (unsigned bits = 1; bits < 58; ++bits) {
        for (int i = 0; i < 5; ++i) {
            all.emplace_back(static_cast<duration::rep>(random() >> (64 - bits)));
        }
    }
    return all;
}

TEST(DelayLevels, add_up_to_the_delay_wherever_a_message_enters) {
    const address destination = address::queue("shop.billing");
    const delaying_broker broker{{address::queue("billing"), destination, address::exchange("shop.billing")}};
    for (const duration delay : many_delays()) {
        const std::uint64_t expected = rounded(delay);
        const auto arrival = broker.send(expected, destination);
        EXPECT_EQ(arrival.milliseconds, expected);
        EXPECT_THAT(arrival.at, ElementsAre(destination));
        EXPECT_EQ(broker.pass(delay_level_count - 1, routing_key(expected, destination)).milliseconds, expected);
    }
}

TEST(DelayLevels, know_an_event_from_a_command) {
    for (const std::string_view name : {"shop.order-placed", "queue.b", "a", "a..b"}) {
        EXPECT_TRUE(matches(every_exchange_pattern(), routing_key(4711, address::exchange(name)))) << name;
        EXPECT_FALSE(matches(every_exchange_pattern(), routing_key(4711, address::queue(name)))) << name;
    }
    EXPECT_FALSE(matches(every_exchange_pattern(), routing_key(4711, address::queue("exchange.b"))));
}

TEST(DelayLevels, do_not_mix_up_destinations) {
    std::vector<address> destinations;
    for (const std::string_view name : {"b", "a.b", "x.a.b", "queue.b", "exchange.b", "0.queue.b", "1.b", "a", "a.",
                                        ".a", "a..b", "a.b.c", "a#", "a*", "*a.b"}) {
        destinations.push_back(address::queue(name));
        destinations.push_back(address::exchange(name));
    }
    const delaying_broker broker{destinations};
    for (const address& each : destinations) {
        EXPECT_THAT(broker.send(4711, each).at, ElementsAre(each));
    }
    EXPECT_THAT(broker.send(4711, address::queue("unknown")).at, IsEmpty());
}

} // namespace
} // namespace ferry::amqp

#include "settlement_log.hpp"

#include <gmock/gmock.h>

#include <array>
#include <map>
#include <optional>
#include <ostream>
#include <random>
#include <set>

namespace ferry::amqp {

// For GoogleTest's messages: "4 accept multiple".
void PrintTo(const settlement_log::instruction& shown, std::ostream* out) {
    static constexpr std::array names{"accept", "requeue", "reject"};
    *out << shown.tag << ' ' << names[static_cast<std::size_t>(shown.outcome)] << (shown.multiple ? " multiple" : "");
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using instructions = std::vector<settlement_log::instruction>;

settlement_log::instruction accept(std::uint64_t tag) { return {tag, verdict::accept, false}; }
settlement_log::instruction accept_up_to(std::uint64_t tag) { return {tag, verdict::accept, true}; }
settlement_log::instruction requeue(std::uint64_t tag) { return {tag, verdict::requeue, false}; }
settlement_log::instruction reject(std::uint64_t tag) { return {tag, verdict::reject, false}; }

class SettlementLog : public ::testing::Test {
protected:
    void deliver(std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t tag = first; tag <= last; ++tag) {
            log.delivered(tag);
        }
    }
    void settle(const instructions& outcomes) {
        for (const auto& each : outcomes) {
            log.settled(each.tag, each.outcome);
        }
    }
    instructions take() {
        instructions out;
        log.take(out);
        return out;
    }

    settlement_log log;
};

TEST_F(SettlementLog, tells_as_little_as_it_can) { // B93
    struct example {
        instructions settled;
        instructions told;
    };
    const std::vector<example> examples{
        {{}, {}},
        {{accept(1)}, {accept(1)}},
        {{accept(1), accept(2), accept(3)}, {accept_up_to(3)}},
        {{accept(3), accept(1), accept(2)}, {accept_up_to(3)}},
        {{accept(2)}, {accept(2)}},
        {{accept(2), accept(3), accept(5)}, {accept(2), accept(3), accept(5)}},
        {{accept(1), accept(2), accept(4)}, {accept_up_to(2), accept(4)}},
        {{accept(1), requeue(2), accept(3)}, {requeue(2), accept_up_to(3)}},
        {{accept(1), accept(2), reject(3)}, {reject(3), accept_up_to(2)}},
        {{requeue(1), accept(2)}, {requeue(1), accept(2)}},
        {{reject(1), requeue(2), reject(3)}, {reject(1), requeue(2), reject(3)}},
        {{accept(1), requeue(3), accept(4)}, {accept(1), requeue(3), accept(4)}},
        {{accept(1), accept(2), accept(3), accept(4), accept(5)}, {accept_up_to(5)}},
    };
    for (const example& each : examples) {
        log.clear();
        deliver(1, 5);
        settle(each.settled);
        EXPECT_EQ(log.unsettled(), 5 - each.settled.size());
        EXPECT_EQ(take(), each.told);
        EXPECT_THAT(take(), IsEmpty()) << "once";
        EXPECT_EQ(log.unsettled(), 5 - each.settled.size());
    }
}

TEST_F(SettlementLog, covers_what_it_told_before_without_telling_it_again) {
    deliver(1, 5);
    settle({accept(2), requeue(4)});
    EXPECT_THAT(take(), ElementsAre(accept(2), requeue(4)));
    settle({accept(1), accept(3), accept(5)});
    EXPECT_THAT(take(), ElementsAre(accept_up_to(5)));
    EXPECT_TRUE(log.empty());
}

TEST_F(SettlementLog, ignores_tags_that_are_not_out) {
    deliver(10, 12);
    settle({accept(9), accept(13), requeue(11), accept(11)});
    EXPECT_THAT(take(), ElementsAre(requeue(11)));
    settle({accept(11)});
    EXPECT_THAT(take(), IsEmpty());
    EXPECT_EQ(log.unsettled(), 2U);
}

TEST_F(SettlementLog, is_empty_when_nothing_is_out_and_everything_was_told) {
    EXPECT_TRUE(log.empty());
    deliver(1, 1);
    EXPECT_FALSE(log.empty());
    settle({accept(1)});
    EXPECT_FALSE(log.empty());
    EXPECT_EQ(log.unsettled(), 0U);
    (void)take();
    EXPECT_TRUE(log.empty());
}

TEST_F(SettlementLog, begins_anew_when_cleared) {
    deliver(1000, 1009);
    settle({accept(1000), accept(1005)});
    log.clear();
    EXPECT_TRUE(log.empty());
    EXPECT_EQ(log.unsettled(), 0U);
    EXPECT_THAT(take(), IsEmpty());
    deliver(1, 2);
    settle({accept(1), accept(2)});
    EXPECT_THAT(take(), ElementsAre(accept_up_to(2)));
}

TEST_F(SettlementLog, appends_to_what_is_there) {
    deliver(1, 1);
    settle({accept(1)});
    instructions out{reject(7)};
    log.take(out);
    EXPECT_THAT(out, ElementsAre(reject(7), accept(1)));
}

TEST_F(SettlementLog, forgets_thousands_behind_one_that_is_out_for_long) {
    deliver(1, 1);
    for (std::uint64_t tag = 2; tag < 5000; ++tag) {
        deliver(tag, tag);
        settle({accept(tag)});
        ASSERT_THAT(take(), ElementsAre(accept(tag)));
        ASSERT_LE(log.remembered(), 2U);
    }
    settle({accept(1)});
    EXPECT_THAT(take(), ElementsAre(accept(1)));
}

/// What a broker knows of a channel.
class channel_model {
public:
    void deliver(std::uint64_t tag) { out_.insert(tag); }
    void settle(std::uint64_t tag, verdict outcome) { settled_.emplace(tag, outcome); }

    /// As the broker does it; false when that is not what became of the deliveries.
    [[nodiscard]] bool obey(const settlement_log::instruction& told) {
        if (!out_.contains(told.tag)) {
            return false; // it would close the channel
        }
        const auto first = told.multiple ? out_.begin() : out_.find(told.tag);
        const auto end = out_.upper_bound(told.tag);
        const bool right = std::all_of(first, end, [&](std::uint64_t tag) {
            const auto outcome = settled_.find(tag);
            return outcome != settled_.end() && outcome->second == told.outcome;
        });
        std::for_each(first, end, [&](std::uint64_t tag) { settled_.erase(tag); });
        out_.erase(first, end);
        return right;
    }
    [[nodiscard]] bool knows_everything() const { return settled_.empty(); }
    [[nodiscard]] std::size_t unsettled() const { return out_.size() - settled_.size(); }
    [[nodiscard]] std::optional<std::uint64_t> any_unsettled(std::uint64_t chance) const {
        std::vector<std::uint64_t> open;
        std::ranges::copy_if(out_, std::back_inserter(open), [&](auto tag) { return !settled_.contains(tag); });
        return open.empty() ? std::nullopt : std::optional{open[chance % open.size()]};
    }

private:
    std::set<std::uint64_t> out_;
    std::map<std::uint64_t, verdict> settled_; // and not told
};

TEST_F(SettlementLog, tells_a_broker_exactly_what_became_of_each_delivery) { // B93
    std::mt19937_64 random{20240229};
    channel_model broker;
    std::uint64_t tag = 41;
    for (int step = 0; step < 20'000; ++step) {
        const std::uint64_t choice = random() % 10;
        if (choice < 4 && broker.unsettled() < 50) {
            broker.deliver(++tag);
            log.delivered(tag);
        } else if (choice < 9) {
            if (const auto chosen = broker.any_unsettled(random() % (1 + random() % 50))) {
                const std::uint64_t kind = random() % 8;
                const auto outcome = kind < 6 ? verdict::accept : kind == 6 ? verdict::requeue : verdict::reject;
                broker.settle(*chosen, outcome);
                log.settled(*chosen, outcome);
            }
        } else {
            for (const auto& told : take()) {
                ASSERT_TRUE(broker.obey(told)) << "step " << step << ", " << ::testing::PrintToString(told);
            }
            ASSERT_TRUE(broker.knows_everything()) << "step " << step;
            ASSERT_LE(log.remembered(), 2 * log.unsettled());
        }
        ASSERT_EQ(log.unsettled(), broker.unsettled());
    }
}

} // namespace
} // namespace ferry::amqp

#include "heartbeat.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace ferry::amqp {
namespace {

using namespace std::chrono_literals;

struct moment {
    std::chrono::milliseconds silence;
    bool is_dead;
    bool is_due;

    friend std::ostream& operator<<(std::ostream& out, const moment& each) {
        return out << "after " << each.silence.count() << " ms";
    }
};

class HeartbeatOfTenSeconds : public ::testing::TestWithParam<moment> {
protected:
    static constexpr heartbeat heart{.interval = 10s};
};

TEST_P(HeartbeatOfTenSeconds, knows_what_silence_means) { // B88
    EXPECT_EQ(heart.is_dead(GetParam().silence), GetParam().is_dead);
    EXPECT_EQ(heart.is_due(GetParam().silence), GetParam().is_due);
}

INSTANTIATE_TEST_SUITE_P(At, HeartbeatOfTenSeconds,
                         ::testing::Values(moment{0s, false, false}, moment{3333ms, false, false},
                                           moment{3334ms, false, true}, moment{5s, false, true},
                                           moment{10s, false, true}, moment{14'999ms, false, true},
                                           moment{15s, true, true}, moment{20s, true, true}));

TEST(Heartbeat, notices_a_dead_peer_within_two_wherever_its_last_sign_of_life_fell) { // B88
    const heartbeat heart{.interval = 10s};
    for (auto first_look = 0ms; first_look < heart.pause(); first_look += 1ms) { // after the last sign of life
        auto look = std::chrono::steady_clock::duration{first_look};
        while (!heart.is_dead(look)) {
            look += heart.pause();
        }
        ASSERT_LT(look, 2 * heart.interval);
    }
}

} // namespace
} // namespace ferry::amqp

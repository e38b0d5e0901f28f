#include "store_suite.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <thread>

namespace ferry::testing {

using ::testing::ElementsAre;

TEST_P(StoreSuite, lets_a_message_be_claimed_once) { // B68
    EXPECT_TRUE(claims(shop(), an_id(1)));
    EXPECT_FALSE(claims(shop(), an_id(1)));
    EXPECT_FALSE(claims(peer(), an_id(1)));
    EXPECT_TRUE(claims(shop(), an_id(2)));
}

TEST_P(StoreSuite, lets_two_consumers_claim_a_message_each) { // B69
    EXPECT_TRUE(claims(shop(), an_id(1), "billing"));
    EXPECT_TRUE(claims(shop(), an_id(1), "audit"));
    EXPECT_FALSE(claims(shop(), an_id(1), "audit"));
}

TEST_P(StoreSuite, undoes_a_claim_with_its_unit) { // B70
    {
        const auto work = shop().work();
        const inbox_claim claim{an_id(1), "billing"};
        bool fresh = false;
        work->claim({&claim, 1}, noon, {&fresh, 1});
        EXPECT_TRUE(fresh);
    }

    EXPECT_TRUE(claims(shop(), an_id(1)));
}

TEST_P(StoreSuite, makes_many_claims_at_once) { // B68, B69, B75
    EXPECT_TRUE(claims(shop(), an_id(2)));
    const std::vector<inbox_claim> wanted{{an_id(1), "billing"}, {an_id(2), "billing"}, // had before
                                          {an_id(1), "billing"},                        // twice in the list
                                          {an_id(1), "audit"},                          // another consumer
                                          {an_id(3), "billing"},                        //
                                          {an_id(2), "billing"}};                       // had before, and twice
    std::array<bool, 6> fresh{};
    const auto work = shop().work();

    work->claim(wanted, noon, fresh);
    work->commit();

    EXPECT_THAT(fresh, ElementsAre(true, false, false, true, true, false));
    EXPECT_FALSE(claims(shop(), an_id(1)));
    EXPECT_FALSE(claims(shop(), an_id(3)));
}

TEST_P(StoreSuite, knows_what_was_claimed_before_in_the_same_unit) { // B68
    const inbox_claim claim{an_id(1), "billing"};
    bool first = false;
    bool second = true;
    const auto work = shop().work();

    work->claim({&claim, 1}, noon, {&first, 1});
    work->claim({&claim, 1}, noon, {&second, 1});
    work->commit();

    EXPECT_TRUE(first);
    EXPECT_FALSE(second);
}

TEST_P(StoreSuite, makes_hundreds_of_claims_at_once) { // B75
    id_source ids{7};
    std::vector<inbox_claim> wanted;
    for (int i = 0; i < 500; ++i) {
        wanted.push_back({ids.next(noon), "billing"});
    }
    const auto fresh = std::make_unique<bool[]>(wanted.size());
    const auto work = shop().work();

    work->claim(wanted, noon, {fresh.get(), wanted.size()});
    work->commit();

    EXPECT_EQ(std::count(fresh.get(), fresh.get() + wanted.size(), true), 500);
    EXPECT_FALSE(claims(peer(), wanted.front().message));
    EXPECT_FALSE(claims(peer(), wanted.back().message));
}

TEST_P(StoreSuite, takes_any_text_for_the_name_of_a_consumer) { // B69
    EXPECT_TRUE(claims(shop(), an_id(1), R"(it's {"grüße"}, \ and NULL)"));
    EXPECT_FALSE(claims(shop(), an_id(1), R"(it's {"grüße"}, \ and NULL)"));
    EXPECT_TRUE(claims(shop(), an_id(1), "NULL"));
    EXPECT_TRUE(claims(shop(), an_id(1), ""));
}

TEST_P(StoreSuite, finds_a_duplicate_of_a_claim_that_is_being_committed) { // B71
    auto first = shop().work();
    const inbox_claim claim{an_id(1), "billing"};
    bool fresh = false;
    first->claim({&claim, 1}, noon, {&fresh, 1});
    ASSERT_TRUE(fresh);
    std::latch asking{1};

    auto second = std::async(std::launch::async, [&] {
        asking.count_down();
        return claims(peer(), claim.message);
    });
    asking.wait();
    first->commit();
    first.reset();

    EXPECT_FALSE(second.get());
}

TEST_P(StoreSuite, gives_a_claim_that_is_rolled_back_to_who_waits_for_it) { // B71
    auto first = shop().work();
    const inbox_claim claim{an_id(1), "billing"};
    bool fresh = false;
    first->claim({&claim, 1}, noon, {&fresh, 1});
    ASSERT_TRUE(fresh);
    std::latch asking{1};

    auto second = std::async(std::launch::async, [&] {
        asking.count_down();
        return claims(peer(), claim.message);
    });
    asking.wait();
    first.reset();

    EXPECT_TRUE(second.get());
}

TEST_P(StoreSuite, commits_each_message_once_whoever_races_for_it) { // B71
    constexpr std::uint8_t messages = 20;
    std::atomic<int> handled = 0;
    const auto handle_all = [&](store& where) {
        for (std::uint8_t i = 0; i < messages; ++i) {
            const inbox_claim claim{an_id(i), "billing"};
            bool fresh = false;
            const auto work = where.work();
            work->claim({&claim, 1}, noon, {&fresh, 1});
            if (fresh) {
                harness().write(*work);
                work->append(a_row());
                ++handled;
            }
            work->commit();
        }
    };
    {
        std::vector<std::jthread> slots;
        for (int i = 0; i < 3; ++i) {
            slots.emplace_back([&] { handle_all(shop()); });
            slots.emplace_back([&] { handle_all(peer()); });
        }
    }

    EXPECT_EQ(handled, messages);
    EXPECT_EQ(harness().rows_of_the_application(), messages);
    EXPECT_EQ(shop().count().pending, messages);
}

TEST_P(StoreSuite, throws_when_it_cannot_tell_whether_a_message_is_new) { // B73
    harness().drop_inbox();
    const inbox_claim claim{an_id(1), "billing"};
    bool fresh = false;
    const auto work = shop().work();

    EXPECT_THROW(work->claim({&claim, 1}, noon, {&fresh, 1}), store_error);
}

TEST_P(StoreSuite, forgets_old_claims_in_pieces) { // B66
    const auto claim_at = [&](std::uint8_t first, time_point when) {
        for (std::uint8_t i = first; i < first + 5; ++i) {
            const inbox_claim claim{an_id(i), "billing"};
            bool fresh = false;
            const auto work = shop().work();
            work->claim({&claim, 1}, when, {&fresh, 1});
            work->commit();
        }
    };
    claim_at(10, noon - 8 * 24h);
    claim_at(20, noon);

    EXPECT_EQ(shop().forget_claims(noon, 3), 3U);
    EXPECT_EQ(shop().forget_claims(noon, 3), 2U);
    EXPECT_EQ(shop().forget_claims(noon, 3), 0U);

    EXPECT_TRUE(claims(shop(), an_id(10)));
    EXPECT_FALSE(claims(shop(), an_id(20)));
}

} // namespace ferry::testing

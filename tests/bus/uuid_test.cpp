#include <ferry/uuid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

namespace ferry {
namespace {

constexpr time_point some_time = std::chrono::sys_days{std::chrono::January / 1 / 2030} + std::chrono::hours{12};

TEST(Uuid, reads_what_it_writes) {
    const std::string text = "0190a5b2-7c3d-7e4f-8a1b-2c3d4e5f6a7b";
    const auto id = uuid::parse(text);
    ASSERT_TRUE(id);
    EXPECT_EQ(id->to_string(), text);
}

TEST(Uuid, reads_capitals) {
    EXPECT_EQ(uuid::parse("0190A5B2-7C3D-7E4F-8A1B-2C3D4E5F6A7B"), uuid::parse("0190a5b2-7c3d-7e4f-8a1b-2c3d4e5f6a7b"));
}

TEST(Uuid, is_nothing_but_its_36_characters) {
    for (const char* text : {"", "0190a5b2", "0190a5b27c3d7e4f8a1b2c3d4e5f6a7b", "0190a5b2-7c3d-7e4f-8a1b-2c3d4e5f6a7g",
                             "{190a5b2-7c3d-7e4f-8a1b-2c3d4e5f6a7b}", "0190a5b2-7c3d-7e4f-8a1b-2c3d4e5f6a7b "}) {
        EXPECT_FALSE(uuid::parse(text)) << text;
    }
}

TEST(IdSource, makes_version_7_with_the_time_in_front) {
    id_source ids;
    const uuid id = ids.next(some_time);
    EXPECT_EQ(id.version(), 7);
    EXPECT_EQ(id.bytes()[8] >> 6, 2) << "the variant";
    std::uint64_t milliseconds = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        milliseconds = milliseconds << 8 | id.bytes()[i];
    }
    EXPECT_EQ(milliseconds, std::chrono::floor<std::chrono::milliseconds>(some_time).time_since_epoch().count());
}

TEST(IdSource, tells_its_moment_to_a_quarter_of_a_microsecond) {
    id_source ids;
    for (const duration part :
         {duration{0}, duration{1}, duration{244}, duration{245}, duration{123'456'789}, duration{999'999'999}}) {
        const time_point moment = some_time + std::chrono::minutes{part.count() % 7} + part;
        const time_point told = id_source::told(moment);
        EXPECT_EQ(id_source{1}.next(moment).time(), told);
        EXPECT_EQ(id_source::told(told), told);
        EXPECT_LT(std::chrono::abs(moment - told), duration{245});
    }
}

TEST(Uuid, tells_no_time_unless_it_is_of_version_7) {
    EXPECT_EQ(uuid{}.time(), std::nullopt);
    EXPECT_EQ(uuid::parse("8e832c82-51c9-81fb-9897-81d7b40ad409")->time(), std::nullopt);
    EXPECT_EQ(uuid::parse("ffffffff-ffff-7fff-9897-81d7b40ad409")->time(), std::nullopt) << "beyond the last moment";
}

TEST(IdSource, never_goes_back_even_when_the_clock_does) {
    id_source ids;
    uuid last = ids.next(some_time);
    for (int i = 0; i < 10'000; ++i) {
        const uuid id = ids.next(some_time - std::chrono::seconds{i});
        ASSERT_LT(last, id);
        last = id;
    }
}

TEST(IdSource, never_repeats_whichever_thread_asks) {
    id_source ids;
    constexpr int threads = 4;
    constexpr int each = 20'000;
    std::vector<std::vector<uuid>> made(threads);
    {
        std::vector<std::jthread> makers;
        for (auto& mine : made) {
            makers.emplace_back([&] {
                for (int i = 0; i < each; ++i) {
                    mine.push_back(ids.next(some_time));
                }
            });
        }
    }
    std::set<uuid> all;
    for (const auto& mine : made) {
        EXPECT_TRUE(std::ranges::is_sorted(mine));
        all.insert(mine.begin(), mine.end());
    }
    EXPECT_EQ(all.size(), std::size_t{threads} * each);
}

TEST(IdSource, differs_from_another_source_at_the_same_moment) {
    id_source a;
    id_source b;
    EXPECT_NE(a.next(some_time), b.next(some_time));
}

} // namespace
} // namespace ferry

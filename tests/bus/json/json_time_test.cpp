#include "json_support.hpp"

#include <ferry/time.hpp>

namespace ferry::testing {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

constexpr sys_seconds moment = sys_days{2026y / November / 16} + 3h + 52min;

TEST(JsonTime, is_written_in_utc_with_only_the_digits_that_say_something) {
    EXPECT_EQ(written(moment), "\"2026-11-16T03:52:00Z\"");
    EXPECT_EQ(written(time_point{moment + 123456789ns}), "\"2026-11-16T03:52:00.123456789Z\"");
    EXPECT_EQ(written(time_point{moment + 500ms}), "\"2026-11-16T03:52:00.5Z\"");
    EXPECT_EQ(written(time_point{moment + 1us}), "\"2026-11-16T03:52:00.000001Z\"");
    EXPECT_EQ(written(sys_days{2026y / November / 16}), "\"2026-11-16T00:00:00Z\"");
}

TEST(JsonTime, survives_in_every_precision_and_before_1970) {
    expect_round_trip(time_point{moment + 1ns});
    expect_round_trip(sys_time<microseconds>{moment + 1us});
    expect_round_trip(sys_time<milliseconds>{moment - 57 * 365 * 24h - 1ms});
    expect_round_trip(sys_days{1600y / February / 29});
    expect_round_trip(time_point::min());
    expect_round_trip(time_point::max());
}

TEST(JsonTime, is_read_with_any_offset) {
    for (const char* const text :
         {"\"2026-11-16T03:52:00Z\"", "\"2026-11-16t03:52:00z\"", "\"2026-11-16T04:52:00+01:00\"",
          "\"2026-11-15T22:22:00-0530\"", "\"2026-11-16 05:52:00+02\"", "\"2026-11-16T03:52:00.000Z\"",
          "\"2026-11-16T03:52:00.0000000001Z\""}) {
        EXPECT_EQ(read<sys_seconds>(text), moment) << text;
    }
}

TEST(JsonTime, finer_than_its_field_is_cut) {
    EXPECT_EQ(read<sys_seconds>("\"2026-11-16T03:52:00.999Z\""), moment);
    EXPECT_EQ(read<sys_time<milliseconds>>("\"1969-12-31T23:59:59.9999Z\"").time_since_epoch(), -1ms);
}

TEST(JsonTime, that_is_no_time_is_refused) {
    EXPECT_EQ(value_problem<time_point>("\"yesterday\""),
              "value: expected a time such as 2026-11-16T03:52:00Z, found other text");
    for (const char* const text :
         {"\"\"", "\"2026-11-16\"", "\"2026-11-16T03:52Z\"", "\"2026-11-16T03:52:00\"", "\"2026-02-30T00:00:00Z\"",
          "\"2026-13-01T00:00:00Z\"", "\"2026-11-16T24:00:00Z\"", "\"2026-11-16T03:60:00Z\"",
          "\"2026-11-16T03:52:60Z\"", "\"2026-11-16T03:52:00.Z\"", "\"2026-11-16T03:52:00Zx\"",
          "\"2026-11-16T03:52:00+1\"", "\"2026-11-16T03:52:00+01:\"", "\"2026-11-16T03:52:00+25:00\"",
          "\"20261116T035200Z\""}) {
        EXPECT_THAT(value_problem<time_point>(text), ::testing::StartsWith("value: expected a time such as")) << text;
    }
}

TEST(JsonTime, beyond_its_field_is_refused) {
    EXPECT_EQ(value_problem<time_point>("\"2400-01-01T00:00:00Z\""),
              "value: expected a time that the field can hold, found another one");
    EXPECT_EQ(write_problem(box<sys_days>{sys_days{days{4'000'000}}}),
              "value: the time is not within the years 0 to 9999, which is all that ISO 8601 text can say");
}

TEST(JsonTime, that_could_not_be_written_again_is_refused) {
    EXPECT_EQ(written(read<sys_seconds>("\"0000-01-01T00:00:00+00:00\"")), "\"0000-01-01T00:00:00Z\"");
    EXPECT_EQ(written(read<sys_seconds>("\"9999-12-31T23:59:59+00:00\"")), "\"9999-12-31T23:59:59Z\"");
    for (const char* const text : {"\"0000-01-01T00:00:00+00:01\"", "\"9999-12-31T23:59:59-00:01\""}) {
        EXPECT_THAT(value_problem<sys_seconds>(text), ::testing::StartsWith("value: expected a time such as")) << text;
    }
}

TEST(JsonDuration, is_written_in_seconds) {
    EXPECT_EQ(written(1500ms), "\"PT1.5S\"");
    EXPECT_EQ(written(0s), "\"PT0S\"");
    EXPECT_EQ(written(-1500ms), "\"-PT1.5S\"");
    EXPECT_EQ(written(-1ns), "\"-PT0.000000001S\"");
    EXPECT_EQ(written(2h), "\"PT7200S\"");
}

TEST(JsonDuration, survives_in_every_unit) {
    expect_round_trip(1500ms);
    expect_round_trip(-1ns);
    expect_round_trip(days{3});
    expect_round_trip(-90min);
    expect_round_trip(nanoseconds::min());
    expect_round_trip(nanoseconds::max());
    expect_round_trip(seconds::min());
    expect_round_trip(seconds::max());
}

TEST(JsonDuration, is_read_in_days_hours_minutes_and_seconds) {
    EXPECT_EQ(read<seconds>("\"P1DT2H3M4S\""), 24h + 2h + 3min + 4s);
    EXPECT_EQ(read<seconds>("\"P2D\""), 48h);
    EXPECT_EQ(read<milliseconds>("\"PT0,25S\""), 250ms);
    EXPECT_EQ(read<minutes>("\"-PT90M\""), -90min);
    EXPECT_EQ(read<seconds>("\"PT1H5S\""), 1h + 5s);
}

TEST(JsonDuration, that_is_no_duration_is_refused) {
    EXPECT_EQ(value_problem<seconds>("\"5 s\""),
              "value: expected a duration such as PT1.5S or P1DT12H, found other text");
    for (const char* const text : {"\"\"", "\"P\"", "\"PT\"", "\"P1DT\"", "\"1S\"", "\"PT1\"", "\"P1H\"", "\"PT1S2M\"",
                                   "\"PT1.5H\"", "\"PT.5S\"", "\"PT5.S\"", "\"P1Y\"", "\"P1M\"", "\"PT1S \"",
                                   "\"PT99999999999999999999S\"", "\"--PT1S\"", "\"PT1H1H\""}) {
        EXPECT_THAT(value_problem<seconds>(text), ::testing::StartsWith("value: expected a duration such as")) << text;
    }
}

TEST(JsonDuration, beyond_its_field_is_refused) {
    EXPECT_EQ(value_problem<nanoseconds>("\"P200000D\""),
              "value: expected a duration that the field can hold, found another one");
    using few_seconds = std::chrono::duration<std::int8_t>;
    EXPECT_EQ(value_problem<few_seconds>("\"PT128S\""), "value: this is beyond what the field can hold");
    EXPECT_EQ(write_problem(box<hours>{hours::max()}), "value: the duration is longer than can be written in seconds");
}

} // namespace
} // namespace ferry::testing

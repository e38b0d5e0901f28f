#include "json_support.hpp"

#include <cmath>
#include <limits>

namespace ferry::testing {
namespace {

enum class weather : std::uint8_t { sun, rain, default_ };

template <typename Integer> void expect_extremes_survive() {
    expect_round_trip(std::numeric_limits<Integer>::min());
    expect_round_trip(std::numeric_limits<Integer>::max());
    expect_round_trip(Integer{0});
}

TEST(JsonScalars, integers_of_every_size_survive) {
    expect_extremes_survive<std::int8_t>();
    expect_extremes_survive<std::uint8_t>();
    expect_extremes_survive<std::int16_t>();
    expect_extremes_survive<std::uint16_t>();
    expect_extremes_survive<std::int32_t>();
    expect_extremes_survive<std::uint32_t>();
    expect_extremes_survive<std::int64_t>();
    expect_extremes_survive<std::uint64_t>();
    expect_extremes_survive<long long>();
    EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(JsonScalars, integers_beyond_their_type_are_refused) {
    EXPECT_EQ(value_problem<std::uint8_t>("300"), "value: expected a whole number from 0 to 255, found another number");
    EXPECT_EQ(value_problem<std::uint8_t>("-1"), "value: expected a whole number from 0 to 255, found another number");
    EXPECT_EQ(value_problem<std::int8_t>("-129"),
              "value: expected a whole number from -128 to 127, found another number");
    EXPECT_EQ(value_problem<std::uint64_t>("18446744073709551616"),
              "value: expected a whole number from 0 to 18446744073709551615, found another number");
}

TEST(JsonScalars, fractions_are_no_integers) {
    EXPECT_EQ(value_problem<std::int16_t>("1.5"),
              "value: expected a whole number from -32768 to 32767, found another number");
    EXPECT_EQ(value_problem<std::int16_t>("1e2"),
              "value: expected a whole number from -32768 to 32767, found another number");
}

TEST(JsonScalars, numbers_in_quotes_are_no_numbers) {
    EXPECT_EQ(value_problem<std::int8_t>("\"12\""), "value: expected a whole number from -128 to 127, found a string");
    EXPECT_EQ(value_problem<double>("\"1\""), "value: expected a number that a double can hold, found a string");
    EXPECT_EQ(value_problem<float>("\"1\""), "value: expected a number that a float can hold, found a string");
}

TEST(JsonScalars, doubles_are_written_as_short_as_they_can_be_read_back) {
    EXPECT_EQ(written(0.1), "0.1");
    EXPECT_EQ(written(3.0), "3");
    EXPECT_EQ(written(0.1F), "0.1");
    for (const double value :
         {0.0, 1e300, -2.5e-308, 4.9e-324, 1.7976931348623157e308, 0.1 + 0.2, 123456789.123456789}) {
        expect_round_trip(value);
    }
    for (const float value : {1.17549435e-38F, 3.40282347e38F, 16777216.0F, 0.3F, 8.5899346e9F}) {
        expect_round_trip(value);
    }
    EXPECT_TRUE(std::signbit(read<double>(written(-0.0))));
}

TEST(JsonScalars, doubles_read_whole_numbers_too) {
    EXPECT_EQ(read<double>("12"), 12.0);
    EXPECT_EQ(read<float>("-3e2"), -300.0F);
}

TEST(JsonScalars, numbers_beyond_a_double_are_refused) {
    EXPECT_EQ(value_problem<double>("1e999"), "value: expected a number that a double can hold, found another number");
    EXPECT_EQ(value_problem<float>("1e39"), "value: expected a number that a float can hold, found another number");
}

TEST(JsonScalars, what_is_infinite_or_no_number_cannot_be_written) {
    constexpr auto reason = "value: JSON has no way to write a number that is infinite or not a number";
    EXPECT_EQ(write_problem(box<double>{std::numeric_limits<double>::quiet_NaN()}), reason);
    EXPECT_EQ(write_problem(box<float>{-std::numeric_limits<float>::infinity()}), reason);
}

TEST(JsonScalars, booleans_are_true_or_false_and_nothing_else) {
    expect_round_trip(true);
    expect_round_trip(false);
    EXPECT_EQ(value_problem<bool>("1"), "value: expected true or false, found a number");
    EXPECT_EQ(value_problem<bool>("null"), "value: expected true or false, found null");
    EXPECT_EQ(value_problem<bool>("{}"), "value: expected true or false, found an object");
}

TEST(JsonScalars, enums_go_by_their_names) {
    EXPECT_EQ(written(weather::rain), "\"rain\"");
    expect_round_trip(weather::sun);
    EXPECT_EQ(value_problem<weather>("\"fog\""),
              R"(value: expected one of "sun", "rain", "default", found other text)");
    EXPECT_EQ(value_problem<weather>("1"), "value: expected a string, found a number");
}

TEST(JsonScalars, enumerators_drop_the_underscore_of_a_keyword) {
    EXPECT_EQ(written(weather::default_), "\"default\"");
    expect_round_trip(weather::default_);
}

TEST(JsonScalars, enum_values_without_a_name_cannot_be_written) {
    EXPECT_THAT(write_problem(box<weather>{static_cast<weather>(9)}),
                ::testing::MatchesRegex("value: this value of .*weather has no name"));
}

TEST(JsonScalars, uuids_are_text) {
    const auto id = *uuid::parse("0193361c-7a1e-7c62-9d3b-5f0c2ab6d9e1");
    EXPECT_EQ(written(id), "\"0193361c-7a1e-7c62-9d3b-5f0c2ab6d9e1\"");
    expect_round_trip(id);
    EXPECT_EQ(value_problem<uuid>("\"0193361c\""),
              "value: expected a UUID such as 0193361c-7a1e-7c62-9d3b-5f0c2ab6d9e1, found other text");
}

} // namespace
} // namespace ferry::testing

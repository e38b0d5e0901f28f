#include "field_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace ferry::amqp {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr time_point some_time = std::chrono::sys_days{std::chrono::January / 1 / 2030} + std::chrono::hours{12};

std::string written_table(const headers& entries) {
    buffer out;
    write_table(entries, out);
    return std::string{out.view()};
}

headers entries_of(std::string_view table) {
    headers entries;
    read_table(table, entries);
    return entries;
}

headers read_back(const headers& entries) { return entries_of(written_table(entries).substr(4)); }

/// The value of a header that comes with these octets behind its name.
header_value value_of(const std::string& octets) {
    const headers entries = entries_of("\x01n"s + octets);
    return entries.begin()->value;
}

header_value nested(int levels) {
    header_value value = 1;
    for (int i = 0; i < levels; ++i) {
        value = i % 2 == 0 ? header_value{header_value::array{value}} : header_value{headers{{"inner", value}}};
    }
    return value;
}

TEST(FieldTable, is_written_in_the_types_of_rabbitmq) {
    EXPECT_EQ(written_table({}), "\0\0\0\0"s);
    EXPECT_EQ(written_table({{"n", header_value{}}}), "\0\0\0\3\1nV"s);
    EXPECT_EQ(written_table({{"n", true}}), "\0\0\0\4\1nt\1"s);
    EXPECT_EQ(written_table({{"n", -2}}), "\0\0\0\13\1nl\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"s);
    EXPECT_EQ(written_table({{"n", 0.5}}), "\0\0\0\13\1nd\x3F\xE0\0\0\0\0\0\0"s);
    EXPECT_EQ(written_table({{"n", "ab"}}), "\0\0\0\11\1nS\0\0\0\2ab"s);
    EXPECT_EQ(written_table({{"n", header_value::bytes{std::byte{0}}}}), "\0\0\0\10\1nx\0\0\0\1\0"s);
    EXPECT_EQ(written_table({{"n", some_time}}), "\0\0\0\13\1nT\0\0\0\0\x70\xDC\x81\x40"s);
    EXPECT_EQ(written_table({{"n", header_value::array{true, {}}}}), "\0\0\0\12\1nA\0\0\0\3t\1V"s);
    EXPECT_EQ(written_table({{"n", headers{{"i", false}}}}), "\0\0\0\13\1nF\0\0\0\4\1it\0"s);
}

TEST(FieldTable, keeps_every_kind_of_value_and_their_order) { // B3
    const headers all{{"z", "text"},
                      {"empty", ""},
                      {"yes", true},
                      {"no", false},
                      {"least", std::numeric_limits<std::int64_t>::min()},
                      {"most", std::numeric_limits<std::int64_t>::max()},
                      {"ratio", -0.25},
                      {"raw", header_value::bytes{std::byte{0}, std::byte{255}}},
                      {"no bytes", header_value::bytes{}},
                      {"when", some_time},
                      {"list", header_value::array{1, "two", header_value::array{}, {}, some_time}},
                      {"table", headers{{"b", headers{{"deep", 1}}}, {"a", headers{}}}},
                      {"", "no name"},
                      {std::string(255, 'n'), header_value{}}};
    EXPECT_EQ(read_back(all), all);
}

TEST(FieldTable, keeps_moments_that_a_timestamp_of_amqp_cannot_say) {
    for (const time_point moment : {some_time + duration{1}, some_time - std::chrono::years{100},
                                    time_point{} - duration{1}, time_point::min(), time_point::max(), time_point{}}) {
        const headers all{{"when", moment}, {"list", header_value::array{moment}}};
        EXPECT_EQ(read_back(all), all);
    }
}

TEST(FieldTable, keeps_numbers_that_rabbitmq_closes_the_connection_for) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const headers infinite{{"up", infinity}, {"down", -infinity}};
    EXPECT_EQ(read_back(infinite), infinite);
    EXPECT_EQ(written_table(infinite).find("d\x7F\xF0"), std::string::npos);

    const headers back = read_back({{"none", std::nan("")}});
    ASSERT_NE(back.begin()->value.as<double>(), nullptr);
    EXPECT_TRUE(std::isnan(*back.begin()->value.as<double>()));
}

TEST(FieldTable, reads_every_integer_of_other_clients) {
    EXPECT_EQ(value_of("b\x80"s), -128);
    EXPECT_EQ(value_of("B\xFF"s), 255);
    EXPECT_EQ(value_of("s\x80\0"s), -32'768);
    EXPECT_EQ(value_of("U\x80\0"s), -32'768);
    EXPECT_EQ(value_of("u\xFF\xFF"s), 65'535);
    EXPECT_EQ(value_of("I\xFF\xFF\xFF\xFF"s), -1);
    EXPECT_EQ(value_of("i\xFF\xFF\xFF\xFF"s), 4'294'967'295);
    EXPECT_EQ(value_of("l\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s), -1);
    EXPECT_EQ(value_of("L\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s), -1);
}

TEST(FieldTable, reads_the_other_types_of_other_clients) {
    EXPECT_EQ(value_of("t\7"s), true);
    EXPECT_EQ(value_of("f\x3F\0\0\0"s), 0.5);
    EXPECT_EQ(value_of("D\2\0\0\x30\x39"s), 123.45);
    EXPECT_EQ(value_of("D\1\xFF\xFF\xFF\xF1"s), -1.5);
}

TEST(FieldTable, takes_a_moment_too_late_for_the_last_one) {
    EXPECT_EQ(value_of("T\0\0\0\2\x25\xC1\x7D\x04"s), time_point::max() - duration{854'775'807}); // the last that fits
    EXPECT_EQ(value_of("T\0\0\0\2\x25\xC1\x7D\x05"s), time_point::max());
    EXPECT_EQ(value_of("T\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s), time_point::max());
}

TEST(FieldTable, keeps_entries_of_the_same_name) {
    const headers twice = entries_of("\1at\1\1bt\1\1at\0"s);
    ASSERT_EQ(twice.size(), 3U);
    EXPECT_EQ(read_back(twice), twice);
}

TEST(FieldTable, is_read_behind_what_is_there_and_leaves_nothing_of_an_earlier_use) {
    headers used{{"a", header_value::array{1, 2}}, {"b", headers{{"x", 1}}}, {"c", header_value::bytes{std::byte{1}}}};
    const headers next{
        {"a", header_value::array{3}}, {"b", headers{{"y", 2}}}, {"c", header_value::bytes{std::byte{2}}}};
    used.clear();
    read_table(written_table(next).substr(4), used);
    EXPECT_EQ(used, next);
    read_table("\1dV"s, used);
    EXPECT_EQ(used.size(), 4U);
}

TEST(FieldTable, refuses_octets_that_are_none) {
    for (const std::string& table : {"\1"s, "\1n"s, "\1nt"s, "\1nl\0\0\0\0\0\0\0"s, "\1nS\0\0\0\2a"s, "\1nS\0\0"s,
                                     "\1nA\0\0\0\1l"s, "\1nF\0\0\0\2\1n"s, "\1nx\xFF\xFF\xFF\xFF"s, "\5n"s}) {
        EXPECT_THROW((void)entries_of(table), envelope_error) << testing::PrintToString(table);
    }
    EXPECT_THAT([] { (void)entries_of("\1n?\0"s); }, ThrowsMessage<envelope_error>(HasSubstr("unknown type 63")));
}

TEST(FieldTable, nests_as_deep_as_a_packed_envelope) {
    const headers deepest{{"deep", nested(max_header_depth)}, {"when", some_time + duration{1}}};
    EXPECT_EQ(read_back(deepest), deepest);
    EXPECT_THAT([] { (void)written_table({{"deep", nested(max_header_depth + 1)}}); },
                ThrowsMessage<error>(HasSubstr("deeper than 16 levels")));
}

TEST(FieldTable, keeps_a_moment_at_the_deepest_level) {
    header_value value = some_time + duration{1};
    for (int i = 0; i < max_header_depth; ++i) {
        value = header_value::array{value};
    }
    const headers deepest{{"deep", value}};
    EXPECT_EQ(read_back(deepest), deepest);
}

TEST(FieldTable, refuses_to_be_read_without_end) {
    std::string array;
    for (int i = 0; i < 10'000; ++i) {
        const auto size = static_cast<std::uint32_t>(array.size());
        buffer outer{"A"};
        put(outer, size);
        array.insert(0, outer.view());
    }
    EXPECT_THAT([&] { (void)value_of(array); }, ThrowsMessage<envelope_error>(HasSubstr("too deeply")));
}

TEST(FieldTable, refuses_a_name_that_is_too_long) {
    const headers entries{{std::string(256, 'n'), 1}};
    EXPECT_THAT([&] { (void)written_table(entries); }, ThrowsMessage<error>(HasSubstr("has 256 bytes")));
    EXPECT_THROW((void)written_table({{"table", entries}}), error);
}

} // namespace
} // namespace ferry::amqp

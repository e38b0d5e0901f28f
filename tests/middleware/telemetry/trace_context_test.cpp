#include "trace_context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ferry::telemetry {
namespace {

constexpr std::string_view example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

headers with(std::string_view parent, std::string_view state = {}) {
    headers all;
    all.set(traceparent, parent);
    if (!state.empty()) {
        all.set(tracestate, state);
    }
    return all;
}

TEST(TraceContext, is_written_as_it_was_read) { // B97
    const auto context = read(with(example, "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"));
    ASSERT_TRUE(context.IsValid());
    EXPECT_TRUE(context.IsRemote());
    EXPECT_TRUE(context.IsSampled());
    headers again;
    write(context, again);
    EXPECT_EQ(again.text(traceparent), example);
    EXPECT_EQ(again.text(tracestate), "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7");
    EXPECT_EQ(position_of(context).trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(position_of(context).span_id, "00f067aa0ba902b7");
}

TEST(TraceContext, tells_whether_somebody_records_the_trace) { // B97
    EXPECT_FALSE(read(with("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")).IsSampled());
}

TEST(TraceContext, of_a_later_version_is_read_as_far_as_it_is_known) { // B97
    EXPECT_TRUE(read(with("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more")).IsValid());
}

TEST(TraceContext, that_cannot_be_read_is_none) { // B97
    for (const std::string_view wrong : {
             "",
             "00",
             "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
             "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
             "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
             "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
             "00-4bf92f3577b34da6a3ce929d0e0e47-6-00f067aa0ba902b7-01",
             "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
             "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
             "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
             "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
         }) {
        EXPECT_FALSE(read(with(wrong)).IsValid()) << wrong;
    }
    headers number;
    number.set(traceparent, 17);
    EXPECT_FALSE(read(number).IsValid());
    EXPECT_FALSE(read({}).IsValid());
}

TEST(TraceContext, of_nothing_leaves_the_headers_alone) { // B101
    headers untouched;
    write(opentelemetry::trace::SpanContext::GetInvalid(), untouched);
    EXPECT_TRUE(untouched.empty());
    EXPECT_EQ(position_of(opentelemetry::trace::SpanContext::GetInvalid()).trace_id, "");
}

} // namespace
} // namespace ferry::telemetry

#include "exporters.hpp"
#include "kept_span.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentelemetry/common/key_value_iterable_view.h>
#include <opentelemetry/exporters/memory/in_memory_span_data.h>
#include <opentelemetry/exporters/memory/in_memory_span_exporter_factory.h>
#include <opentelemetry/sdk/trace/span_data.h>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace ferry::otlp {
namespace {

namespace nostd = opentelemetry::nostd;
namespace sdk = opentelemetry::sdk::trace;
namespace trace = opentelemetry::trace;
using namespace std::chrono_literals;

class KeptSpan : public ::testing::Test {
protected:
    /// What the exporter gets.
    [[nodiscard]] std::unique_ptr<sdk::SpanData> unpacked() {
        return std::unique_ptr<sdk::SpanData>{static_cast<sdk::SpanData*>(span.unpack().release())};
    }

    std::shared_ptr<opentelemetry::exporter::memory::InMemorySpanData> unused;
    std::unique_ptr<sdk::SpanExporter> exporter =
        opentelemetry::exporter::memory::InMemorySpanExporterFactory::Create(unused);
    std::vector<std::string> told;
    exporting rules{1s, [this](log_level, std::string_view line) { told.emplace_back(line); }};
    kept_span span{*exporter, rules};
};

TEST_F(KeptSpan, has_all_that_was_written_down) { // B97
    const std::array<std::uint8_t, 16> trace_id{1, 2, 3};
    const std::array<std::uint8_t, 8> span_id{4, 5, 6};
    const std::array<std::uint8_t, 8> parent{7, 8, 9};
    const opentelemetry::common::SystemTimestamp start{std::chrono::system_clock::time_point{17h}};
    span.SetIdentity({trace::TraceId{trace_id}, trace::SpanId{span_id}, trace::TraceFlags{1}, false},
                     trace::SpanId{parent});
    span.SetName("receive billing");
    span.SetSpanKind(trace::SpanKind::kConsumer);
    span.SetStartTime(start);
    span.SetDuration(5ms);
    span.SetStatus(trace::StatusCode::kError, "declined");
    span.SetAttribute("text", nostd::string_view{"a text that is longer than a small string"});
    span.SetAttribute("characters", "few");
    span.SetAttribute("whole", std::int64_t{1} << 40);
    span.SetAttribute("small", 17);
    span.SetAttribute("real", 0.5);
    span.SetAttribute("truth", true);
    const auto whole = unpacked();
    EXPECT_EQ(whole->GetTraceId(), trace::TraceId{trace_id});
    EXPECT_EQ(whole->GetSpanId(), trace::SpanId{span_id});
    EXPECT_EQ(whole->GetParentSpanId(), trace::SpanId{parent});
    EXPECT_EQ(whole->GetName(), "receive billing");
    EXPECT_EQ(whole->GetSpanKind(), trace::SpanKind::kConsumer);
    EXPECT_EQ(whole->GetStartTime().time_since_epoch(), start.time_since_epoch());
    EXPECT_EQ(whole->GetDuration(), 5ms);
    EXPECT_EQ(whole->GetStatus(), trace::StatusCode::kError);
    EXPECT_EQ(whole->GetDescription(), "declined");
    const auto& all = whole->GetAttributes();
    EXPECT_EQ(nostd::get<std::string>(all.at("text")), "a text that is longer than a small string");
    EXPECT_EQ(nostd::get<std::string>(all.at("characters")), "few");
    EXPECT_EQ(nostd::get<std::int64_t>(all.at("whole")), std::int64_t{1} << 40);
    EXPECT_EQ(nostd::get<std::int64_t>(all.at("small")), 17);
    EXPECT_EQ(nostd::get<double>(all.at("real")), 0.5);
    EXPECT_TRUE(nostd::get<bool>(all.at("truth")));
    EXPECT_EQ(all.size(), 6U);
}

TEST_F(KeptSpan, keeps_the_last_value_of_an_attribute) { // B97
    span.SetAttribute("outcome", "returned");
    span.SetAttribute("outcome", "handled");
    const auto whole = unpacked();
    EXPECT_EQ(whole->GetAttributes().size(), 1U);
    EXPECT_EQ(nostd::get<std::string>(whole->GetAttributes().at("outcome")), "handled");
}

TEST_F(KeptSpan, has_what_is_rare_as_well) { // B98
    const std::map<std::string, std::string> attributes{{"why", "declined"}};
    const opentelemetry::common::KeyValueIterableView<std::map<std::string, std::string>> view{attributes};
    const std::vector<std::int64_t> list{1, 2, 3};
    span.SetAttribute("list", nostd::span<const std::int64_t>{list.data(), list.size()});
    span.AddEvent("dead-lettered", std::chrono::system_clock::now(), view);
    span.AddLink(trace::SpanContext::GetInvalid(), view);
    span.SetAttribute("ferry.outcome", "dead-lettered");
    const auto whole = unpacked();
    EXPECT_EQ(nostd::get<std::vector<std::int64_t>>(whole->GetAttributes().at("list")), list);
    EXPECT_EQ(nostd::get<std::string>(whole->GetAttributes().at("ferry.outcome")), "dead-lettered");
    ASSERT_EQ(whole->GetEvents().size(), 1U);
    EXPECT_EQ(whole->GetEvents().front().GetName(), "dead-lettered");
    EXPECT_EQ(nostd::get<std::string>(whole->GetEvents().front().GetAttributes().at("why")), "declined");
    EXPECT_EQ(whole->GetLinks().size(), 1U);
}

TEST_F(KeptSpan, has_room_for_more_than_most_spans_need) { // B97
    const std::string long_text(5'000, 'x');
    for (int i = 0; i < 100; ++i) {
        span.SetAttribute("attribute-" + std::to_string(i), long_text);
    }
    const auto whole = unpacked();
    EXPECT_EQ(whole->GetAttributes().size(), 100U);
    EXPECT_EQ(nostd::get<std::string>(whole->GetAttributes().at("attribute-99")), long_text);
}

TEST_F(KeptSpan, is_told_of_once_when_nobody_unpacks_it) { // B100
    (void)kept_span{*exporter, rules}.unpack();
    EXPECT_THAT(told, ::testing::IsEmpty());
    { const kept_span dropped{*exporter, rules}; }
    { const kept_span another{*exporter, rules}; }
    EXPECT_THAT(told, ::testing::ElementsAre(::testing::StartsWith("spans are dropped")));
}

TEST_F(KeptSpan, is_not_told_of_when_the_session_ends) { // B100
    rules.end_at(exporting::moment{});
    { const kept_span left{*exporter, rules}; }
    EXPECT_THAT(told, ::testing::IsEmpty());
}

} // namespace
} // namespace ferry::otlp

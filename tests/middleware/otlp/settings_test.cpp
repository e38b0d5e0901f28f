#include "settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ferry::otlp {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

settings said(const std::map<std::string, std::string, std::less<>>& variables) {
    return settings::from([&](std::string_view name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional{found->second};
    });
}

TEST(Settings, are_those_of_the_specification_when_nothing_is_said) { // B97
    const settings none = said({});
    EXPECT_TRUE(none.traces.exported && none.metrics.exported && none.logs.exported);
    EXPECT_EQ(none.traces.protocol, protocol::http_protobuf);
    EXPECT_EQ(none.sampler, sampler::always_on);
    EXPECT_TRUE(none.parent_based);
    EXPECT_EQ(none.spans.queue, 2048U);
    EXPECT_EQ(none.spans.batch, 512U);
    EXPECT_EQ(none.spans.delay, 5000ms);
    EXPECT_EQ(none.log_records.delay, 1000ms);
    EXPECT_EQ(none.metric_interval, 60s);
    EXPECT_THAT(none.problems, IsEmpty());
}

TEST(Settings, of_a_signal_count_more_than_those_of_all) { // B97
    const settings some = said({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                                {"OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "http/json"},
                                {"OTEL_METRICS_EXPORTER", "none"}});
    EXPECT_EQ(some.traces.protocol, protocol::grpc);
    EXPECT_EQ(some.logs.protocol, protocol::http_json);
    EXPECT_TRUE(some.traces.exported);
    EXPECT_FALSE(some.metrics.exported);
}

TEST(Settings, can_switch_everything_off) { // B101
    const settings none = said({{"OTEL_SDK_DISABLED", "true"}});
    EXPECT_FALSE(none.traces.exported || none.metrics.exported || none.logs.exported);
}

TEST(Settings, name_a_sampler) { // B97
    struct row {
        std::string name;
        sampler how;
        bool parent_based;
    };
    for (const auto& [name, how, parent_based] :
         {row{"always_on", sampler::always_on, false}, row{"always_off", sampler::always_off, false},
          row{"traceidratio", sampler::ratio, false}, row{"parentbased_always_on", sampler::always_on, true},
          row{"parentbased_always_off", sampler::always_off, true},
          row{"parentbased_traceidratio", sampler::ratio, true}}) {
        const settings some = said({{"OTEL_TRACES_SAMPLER", name}, {"OTEL_TRACES_SAMPLER_ARG", "0.25"}});
        EXPECT_EQ(some.sampler, how) << name;
        EXPECT_EQ(some.parent_based, parent_based) << name;
        EXPECT_EQ(some.ratio, how == sampler::ratio ? 0.25 : 1) << name;
        EXPECT_THAT(some.problems, IsEmpty()) << name;
    }
}

TEST(Settings, bound_what_waits_for_the_collector) { // B100
    const settings some = said({{"OTEL_BSP_MAX_QUEUE_SIZE", "100"},
                                {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1000"},
                                {"OTEL_BSP_SCHEDULE_DELAY", "250"},
                                {"OTEL_BLRP_MAX_QUEUE_SIZE", "50"},
                                {"OTEL_METRIC_EXPORT_INTERVAL", "1500"}});
    EXPECT_EQ(some.spans.queue, 100U);
    EXPECT_EQ(some.spans.batch, 100U) << "a batch is never larger than the queue";
    EXPECT_EQ(some.spans.delay, 250ms);
    EXPECT_EQ(some.log_records.queue, 50U);
    EXPECT_EQ(some.metric_interval, 1500ms);
}

TEST(Settings, that_mean_nothing_are_told_and_ignored) { // B97
    const settings some = said({{"OTEL_EXPORTER_OTLP_PROTOCOL", "carrier-pigeon"},
                                {"OTEL_BSP_MAX_QUEUE_SIZE", "-1"},
                                {"OTEL_BSP_SCHEDULE_DELAY", "5s"},
                                {"OTEL_TRACES_SAMPLER", "sometimes"}});
    EXPECT_EQ(some.traces.protocol, protocol::http_protobuf);
    EXPECT_EQ(some.spans.queue, 2048U);
    EXPECT_EQ(some.spans.delay, 5000ms);
    EXPECT_EQ(some.sampler, sampler::always_on);
    EXPECT_THAT(some.problems, ElementsAre(HasSubstr("OTEL_BSP_MAX_QUEUE_SIZE=-1 has no meaning"),
                                           HasSubstr("OTEL_BSP_SCHEDULE_DELAY=5s"),
                                           HasSubstr("OTEL_EXPORTER_OTLP_PROTOCOL=carrier-pigeon"),
                                           HasSubstr("OTEL_TRACES_SAMPLER=sometimes")));
    EXPECT_THAT(some.problems.at(2), HasSubstr("http/protobuf, http/json, grpc"));
}

} // namespace
} // namespace ferry::otlp

#include "sdk_listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentelemetry/sdk/common/global_log_handler.h>

#include <string>
#include <vector>

namespace ferry::otlp {
namespace {

namespace internal_log = opentelemetry::sdk::common::internal_log;
using handler = opentelemetry::nostd::shared_ptr<internal_log::LogHandler>;
using lines = std::vector<std::string>;

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A handler as a program may have one.
class kept_complaints final : public internal_log::LogHandler {
public:
    explicit kept_complaints(lines& into) : into_{into} {}
    void Handle(internal_log::LogLevel /*level*/, const char* /*file*/, int /*line*/, const char* text,
                const opentelemetry::sdk::common::AttributeMap& /*attributes*/) noexcept override {
        into_.emplace_back(text);
    }

private:
    lines& into_;
};

class SdkListener : public ::testing::Test {
protected:
    void SetUp() override { set_default(); }
    void TearDown() override {
        set_default();
        internal_log::GlobalLogHandler::SetLogLevel(internal_log::LogLevel::Warning);
    }

    static void set_default() {
        internal_log::GlobalLogHandler::SetLogHandler(handler{new internal_log::DefaultLogHandler});
    }
    [[nodiscard]] static log_function into(lines& log) {
        return [&log](log_level level, std::string_view text) {
            log.push_back(std::string{to_string(level)} + ": " + std::string{text});
        };
    }
    static void complain(const std::string& text) { OTEL_INTERNAL_LOG_ERROR(text); }

    lines first;
    lines second;
};

TEST_F(SdkListener, tells_what_the_sdk_complains_of) { // B100
    const sdk_listener listener{into(first)};
    complain("no way");
    OTEL_INTERNAL_LOG_WARN("a queue is full");
    EXPECT_THAT(first, ElementsAre("debug: OpenTelemetry: no way"));
}

TEST_F(SdkListener, tells_nothing_when_it_is_gone) { // B100
    { const sdk_listener listener{into(first)}; }
    complain("no way");
    EXPECT_THAT(first, IsEmpty());
}

TEST_F(SdkListener, leaves_the_level_as_it_was) { // B100
    internal_log::GlobalLogHandler::SetLogLevel(internal_log::LogLevel::Info);
    {
        const sdk_listener listener{into(first)};
        { const sdk_listener another{into(second)}; }
        EXPECT_EQ(internal_log::GlobalLogHandler::GetLogLevel(), internal_log::LogLevel::Error);
    }
    EXPECT_EQ(internal_log::GlobalLogHandler::GetLogLevel(), internal_log::LogLevel::Info);
}

TEST_F(SdkListener, may_end_before_the_one_that_came_before_it) { // B100
    const sdk_listener listener{into(first)};
    {
        const sdk_listener another{into(second)};
        complain("to the second");
    }
    complain("to the first");
    EXPECT_THAT(second, ElementsAre("debug: OpenTelemetry: to the second"));
    EXPECT_THAT(first, ElementsAre("debug: OpenTelemetry: to the first"));
}

TEST_F(SdkListener, may_end_after_the_one_that_came_after_it) { // B100
    auto listener = std::make_unique<sdk_listener>(into(first));
    const sdk_listener another{into(second)};
    listener.reset();
    complain("to the second");
    EXPECT_THAT(second, ElementsAre("debug: OpenTelemetry: to the second"));
    EXPECT_THAT(first, IsEmpty());
}

TEST_F(SdkListener, leaves_complaints_to_the_handler_of_the_program) { // B100
    lines own;
    internal_log::GlobalLogHandler::SetLogHandler(handler{new kept_complaints{own}});
    {
        const sdk_listener listener{into(first)};
        complain("during");
    }
    complain("after");
    EXPECT_THAT(own, ElementsAre("during", "after"));
    EXPECT_THAT(first, IsEmpty());
    set_default(); // its lines are about to go
}

TEST_F(SdkListener, wraps_a_handler_once_however_many_come_and_go) { // B100
    lines own;
    internal_log::GlobalLogHandler::SetLogHandler(handler{new kept_complaints{own}});
    { const sdk_listener listener{into(first)}; }
    const auto present = internal_log::GlobalLogHandler::GetLogHandler();
    { const sdk_listener another{into(second)}; }
    EXPECT_EQ(internal_log::GlobalLogHandler::GetLogHandler().get(), present.get());
    complain("once");
    EXPECT_THAT(own, ElementsAre("once"));
    set_default();
}

} // namespace
} // namespace ferry::otlp

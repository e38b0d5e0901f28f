#include <ferry/envelope.hpp>
#include <ferry/log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

namespace ferry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class Log : public ::testing::Test {
protected:
    /// A logger as an application has it.
    [[nodiscard]] std::shared_ptr<spdlog::logger> logger(const std::string& name) {
        auto made = std::make_shared<spdlog::logger>(name, std::make_shared<spdlog::sinks::ostream_sink_mt>(written));
        made->set_pattern("%l: %v");
        return made;
    }
    [[nodiscard]] static envelope order() {
        envelope message;
        message.message_type = "urn:message:shop:order-placed";
        message.message_id = uuid::parse("0199c3a4-5e1b-7d20-8f6a-2b7c9d4e1f03").value();
        message.conversation_id = uuid::parse("0199c3a4-5e1b-7d20-8f6a-2b7c9d4e1f04").value();
        message.body = buffer{"secret"};
        return message;
    }

    std::ostringstream written;
};

TEST_F(Log, names_what_a_line_is_about_and_nothing_that_is_not_known) {
    const envelope message = order();
    const log_line line{.level = log_level::error,
                        .text = "it failed",
                        .about = {.endpoint = "billing", .consumer = "invoice", .message = &message, .attempt = 3},
                        .trace = {.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736", .span_id = "00f067aa0ba902b7"}};
    EXPECT_THAT(line.fields(),
                ElementsAre(Pair("endpoint", "billing"), Pair("consumer", "invoice"),
                            Pair("message_type", "urn:message:shop:order-placed"),
                            Pair("message_id", "0199c3a4-5e1b-7d20-8f6a-2b7c9d4e1f03"),
                            Pair("conversation_id", "0199c3a4-5e1b-7d20-8f6a-2b7c9d4e1f04"), Pair("attempt", "3"),
                            Pair("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"), Pair("span_id", "00f067aa0ba902b7")));
    EXPECT_THAT((log_line{.level = log_level::info, .text = "started"}).fields(), IsEmpty());
}

TEST_F(Log, goes_to_spdlog_with_its_fields) {
    const envelope message = order();
    const log_function log = log_to_spdlog(logger("orders"));
    log(log_level::error, "it failed {}", {.endpoint = "billing", .message = &message});
    log(log_level::warning, "look");
    log(log_level::info, "started");
    log(log_level::debug, "nobody wants to know");
    EXPECT_EQ(written.str(), "error: it failed {} endpoint=billing message_type=urn:message:shop:order-placed "
                             "message_id=0199c3a4-5e1b-7d20-8f6a-2b7c9d4e1f03 "
                             "conversation_id=0199c3a4-5e1b-7d20-8f6a-2b7c9d4e1f04\n"
                             "warning: look\ninfo: started\n");
}

TEST_F(Log, goes_to_the_logger_called_ferry_if_nobody_says_where) {
    spdlog::register_logger(logger("ferry"));
    log_to_spdlog()(log_level::warning, "look");
    spdlog::drop("ferry");
    EXPECT_EQ(written.str(), "warning: look\n");
}

TEST_F(Log, shows_warnings_on_standard_error_if_there_is_no_logger) {
    const std::shared_ptr<spdlog::logger> none = spdlog::get("ferry");
    ASSERT_EQ(none, nullptr);
    ::testing::internal::CaptureStderr();
    const log_function first = log_to_spdlog();
    const log_function second = log_to_spdlog();
    first(log_level::warning, "look");
    second(log_level::info, "started");
    spdlog::drop("ferry");
    const std::string shown = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(shown, ::testing::AllOf(::testing::HasSubstr("look"), ::testing::Not(::testing::HasSubstr("started"))));
}

TEST_F(Log, takes_functions_that_want_the_text_alone) {
    std::vector<std::string> lines;
    const log_function log = [&](log_level level, std::string_view text) {
        lines.push_back(std::string{to_string(level)} + ": " + std::string{text});
    };
    log(log_level::info, "started", {.endpoint = "billing"});
    EXPECT_THAT(lines, ElementsAre("info: started"));
}

TEST_F(Log, is_silent_when_it_is_empty) {
    const log_function log;
    EXPECT_FALSE(log);
    EXPECT_NO_THROW(log(log_level::error, "nobody hears this"));
}

} // namespace
} // namespace ferry

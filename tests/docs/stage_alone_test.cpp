// How docs/adding-a-stage.md tests a stage alone.

#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/settings.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string_view>

namespace depot {
namespace {

// #region stage
struct size_limit {
    static constexpr std::string_view key = "size_limit";
    std::size_t longest = 0;

    void operator()(ferry::receive_context& message, ferry::next<ferry::receive_context> next) const {
        if (message.envelope().body.view().size() > longest) {
            throw std::length_error{"the message is too long"};
        }
        next(message);
    }
};
// #endregion

// #region test
class SizeLimit : public ::testing::Test {
protected:
    /// Whether a message with that body comes to what stands behind the stage.
    bool lets_through(std::string_view body) {
        bool passed = false;
        const ferry::pipeline<ferry::receive_context> stages{
            {{size_limit::key, size_limit{.longest = 3}},
             {"rest", [&](ferry::receive_context&, ferry::next<ferry::receive_context>) { passed = true; }}}};
        const ferry::endpoint_settings endpoint;
        ferry::receive_context message{endpoint, {}, {}};
        message.envelope().body = ferry::buffer{body};
        stages(message);
        return passed;
    }
};

TEST_F(SizeLimit, lets_a_short_message_through) { EXPECT_TRUE(lets_through("abc")); }

TEST_F(SizeLimit, refuses_a_long_one) { EXPECT_THROW((void)lets_through("abcd"), std::length_error); }
// #endregion

} // namespace
} // namespace depot

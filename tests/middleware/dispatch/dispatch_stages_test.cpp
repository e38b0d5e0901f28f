#include <ferry/middleware/dispatch/scheduling.hpp>
#include <ferry/middleware/dispatch/serialization.hpp>
#include <ferry/middleware/dispatch/transmission.hpp>

#include <middleware/stage_support.hpp>

#include <optional>

namespace ferry::middleware {
namespace {

class sending_transport final : public transport {
public:
    [[nodiscard]] std::string_view name() const noexcept override { return "sending"; }
    void start(const transport_host&) override {}
    void stop() noexcept override {}
    [[nodiscard]] transport_health health() const override { return {}; }
    void declare(const topology&) override {}
    void send(const envelope& message, send_callback on_outcome) override {
        sent.push_back(message);
        on_outcome({});
    }
    std::unique_ptr<subscription> consume(const std::string&, const consume_options&, delivery_sink&) override {
        return nullptr;
    }

    std::vector<envelope> sent;
};

template <typename Stage> void run(Stage stage, dispatch_context& message) {
    const pipeline<dispatch_context> stages{{{Stage::key, std::move(stage)}}};
    stages(message);
}

TEST(Serialization, writes_the_message_with_its_first_codec) {
    const order_placed order{"17"};
    dispatch_context message;
    message.message = message_ref{order};
    run(serialization{}, message);
    EXPECT_EQ(message.envelope.body.view(), R"({"order_id":"17"})");
    EXPECT_EQ(message.envelope.content_type, "application/json");
}

TEST(Serialization, throws_what_cannot_be_written) {
    const order_placed order{"\xff"};
    dispatch_context message;
    message.message = message_ref{order};
    EXPECT_THROW(run(serialization{}, message), encode_error);
}

class Scheduling : public ::testing::Test {
protected:
    /// Whether the message went on to the next stage.
    [[nodiscard]] bool passes() {
        bool passed = false;
        const pipeline<dispatch_context> stages{
            {{scheduling::key, scheduling{schedules}},
             {"rest", [&](dispatch_context&, next<dispatch_context>) { passed = true; }}}};
        stages(message);
        return passed;
    }
    recording_scheduler schedules;
    collected_messages waiting;
    dispatch_context message;
};

TEST_F(Scheduling, lets_what_is_not_scheduled_pass) {
    EXPECT_TRUE(passes());
    EXPECT_TRUE(schedules.kept.empty());
}

TEST_F(Scheduling, gives_what_is_scheduled_to_the_scheduler) { // B79
    message.scheduled = true;
    message.envelope.tenant = "blue";
    EXPECT_FALSE(passes());
    ASSERT_EQ(schedules.kept.size(), 1U);
    EXPECT_EQ(schedules.kept[0].tenant, "blue");
}

TEST_F(Scheduling, keeps_a_handlers_message_until_that_has_succeeded) { // B83
    message.scheduled = true;
    message.collector = &waiting;
    EXPECT_FALSE(passes());
    EXPECT_TRUE(schedules.kept.empty());
    EXPECT_EQ(waiting.scheduled().size(), 1U);
}

TEST(Transmission, hands_message_and_callback_to_the_transport) {
    sending_transport carrier;
    dispatch_context message;
    std::optional<send_status> outcome;
    message.on_outcome = [&](const send_outcome& each) { outcome = each.status; };
    run(transmission{carrier}, message);
    EXPECT_EQ(carrier.sent.size(), 1U);
    EXPECT_EQ(outcome, send_status::confirmed);
    EXPECT_FALSE(message.on_outcome);
}

TEST(Transmission, puts_a_handlers_message_with_those_that_wait) {
    sending_transport carrier;
    collected_messages waiting;
    dispatch_context message;
    message.envelope.tenant = "blue";
    message.collector = &waiting;
    run(transmission{carrier}, message);
    EXPECT_TRUE(carrier.sent.empty());
    ASSERT_EQ(waiting.all().size(), 1U);
    EXPECT_EQ(waiting.all()[0].tenant, "blue");
}

} // namespace
} // namespace ferry::middleware

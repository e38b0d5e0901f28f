#include <ferry/middleware/receive/type_selection.hpp>

#include <middleware/stage_support.hpp>

namespace ferry::middleware {
namespace {

class TypeSelection : public stage_test {
protected:
    void SetUp() override {
        consume<order_placed>([](const order_placed&, consume_context&) {});
        consume<parcel_sent>([](const parcel_sent&, consume_context&) {});
        consume<order_placed>([](const order_placed&, consume_context&) {});
    }
    [[nodiscard]] static std::vector<std::string> names(receive_context& message) {
        std::vector<std::string> all;
        for (const consumer_run* each : message.targets()) {
            all.push_back(each->consumer().name());
        }
        return all;
    }
    type_selection stage;
};

TEST_F(TypeSelection, picks_every_consumer_of_the_type) { // B7
    receive_context& message = received();
    run(stage, message);
    EXPECT_EQ(names(message), (std::vector<std::string>{"consumer 0", "consumer 2"}));
    EXPECT_EQ(passed_on, 1);
}

TEST_F(TypeSelection, picks_consumers_of_enclosed_types) { // B8
    receive_context& message = received([](envelope& each) {
        each.message_type = "urn:message:elsewhere:thing";
        each.enclosed_types = {message_type::of<parcel_sent>().urn};
    });
    run(stage, message);
    EXPECT_EQ(names(message), (std::vector<std::string>{"consumer 1"}));
}

TEST_F(TypeSelection, picks_nobody_for_an_unknown_type) {
    receive_context& message = received([](envelope& each) { each.message_type.clear(); });
    run(stage, message);
    EXPECT_TRUE(names(message).empty());
    EXPECT_EQ(passed_on, 1);
}

TEST_F(TypeSelection, picks_only_the_consumer_a_message_comes_again_for) { // B34
    receive_context& message = received([](envelope& each) { each.headers.set("target-consumer", "consumer 2"); });
    run(stage, message);
    EXPECT_EQ(names(message), (std::vector<std::string>{"consumer 2"}));
}

TEST_F(TypeSelection, picks_nobody_when_that_consumer_is_gone) {
    receive_context& message = received([](envelope& each) { each.headers.set("target-consumer", "renamed"); });
    run(stage, message);
    EXPECT_TRUE(names(message).empty());
}

TEST_F(TypeSelection, passes_over_a_target_that_is_no_text) {
    receive_context& message = received([](envelope& each) { each.headers.set("target-consumer", 2); });
    run(stage, message);
    EXPECT_EQ(names(message).size(), 2U);
}

TEST_F(TypeSelection, throws_what_was_wrong_with_the_envelope) { // B39
    receive_context& message = received(packed_envelope::from_bytes("not an envelope"));
    EXPECT_THROW(run(stage, message), envelope_error);
    EXPECT_EQ(message.envelope().body.view(), "not an envelope") << "the bytes are kept for the error queue";
}

} // namespace
} // namespace ferry::middleware

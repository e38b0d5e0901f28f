#include <ferry/middleware/consume/handler.hpp>

#include <middleware/stage_support.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace ferry::middleware {
namespace {

class Handler : public stage_test {
protected:
    /// Runs the stage for the first consumer, with one behind it that notes its turn.
    void run_stage() {
        receive_context& message = received();
        consumer_run& run = *message.consumers().front();
        run.decode(message);
        const pipeline<consume_context> stages{
            {{handler::key, handler{}},
             {"rest", [this](consume_context&, next<consume_context>) { turns.emplace_back("rest"); }}}};
        stages(run.context());
    }
    std::vector<std::string> turns;
};

TEST_F(Handler, is_called_with_the_message_and_lets_the_stages_behind_it_have_their_turn) {
    consume<order_placed>([this](const order_placed& order, consume_context&) { turns.push_back(order.order_id); });
    run_stage();
    EXPECT_EQ(turns, (std::vector<std::string>{"17", "rest"}));
}

TEST_F(Handler, that_throws_ends_the_chain) {
    consume<order_placed>([](const order_placed&, consume_context&) { throw std::runtime_error{"no"}; });
    EXPECT_THROW(run_stage(), std::runtime_error);
    EXPECT_TRUE(turns.empty());
}

} // namespace
} // namespace ferry::middleware

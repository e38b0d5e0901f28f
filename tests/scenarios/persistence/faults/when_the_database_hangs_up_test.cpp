#include "billing_shop.hpp"

#include <ostream>

namespace ferry::scenarios {
namespace {

/// When the service loses all its connections to the database, and how it works.
struct hanging_up {
    moment when;
    std::string way = "one_by_one";

    friend std::ostream& operator<<(std::ostream& out, const hanging_up& of) {
        return out << to_string(of.when) << "_working_" << of.way;
    }
};

class WhenTheDatabaseHangsUp : public billing_shop, public ::testing::WithParamInterface<hanging_up> {};

TEST_P(WhenTheDatabaseHangsUp, each_order_has_one_effect_and_the_service_goes_on) { // B76 B77 B74
    make_billing_queue();
    start_audit();
    place_orders(50);
    auto running = service_process({GetParam().way, "terminate_at", std::string{to_string(GetParam().when)}});
    EXPECT_TRUE(everything_is_done());
    place_orders(5);
    EXPECT_TRUE(everything_is_done());
    stop(running);
    EXPECT_GT(database.number("select max(sent) from diary where entry = 'terminated'"), 0) << "connections were cut";
    expect_one_effect_of_each_order();
}

INSTANTIATE_TEST_SUITE_P(
    At, WhenTheDatabaseHangsUp,
    ::testing::Values(hanging_up{moment::after_claim}, hanging_up{moment::in_handler},
                      hanging_up{moment::before_commit}, hanging_up{moment::after_commit},
                      hanging_up{moment::before_acknowledge}, hanging_up{moment::after_send},
                      hanging_up{moment::before_confirm}, hanging_up{moment::before_delete},
                      hanging_up{moment::after_claim, "in_groups"}, hanging_up{moment::in_handler, "in_groups"},
                      hanging_up{moment::before_commit, "in_groups"}, hanging_up{moment::after_commit, "in_groups"},
                      hanging_up{moment::before_acknowledge, "in_groups"},
                      hanging_up{moment::after_send, "from_memory"}, hanging_up{moment::before_confirm, "from_memory"},
                      hanging_up{moment::before_delete, "from_memory"}, hanging_up{moment::before_confirm, "by_key"},
                      hanging_up{moment::before_delete, "by_key"}, hanging_up{moment::after_commit, "scheduled"},
                      hanging_up{moment::before_delete, "scheduled"}),
    ::testing::PrintToStringParamName());

} // namespace
} // namespace ferry::scenarios

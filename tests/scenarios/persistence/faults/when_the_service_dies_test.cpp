#include "billing_shop.hpp"

#include <ostream>

namespace ferry::scenarios {
namespace {

/// When the service dies, and how it works until then.
struct death {
    moment when;
    std::string way = "one_by_one";

    friend std::ostream& operator<<(std::ostream& out, const death& of) {
        return out << to_string(of.when) << "_working_" << of.way;
    }
};

class WhenTheServiceDies : public billing_shop, public ::testing::WithParamInterface<death> {
protected:
    WhenTheServiceDies() {
        make_billing_queue();
        start_audit();
    }
    [[nodiscard]] testing::child_process doomed_process() const {
        return service_process({GetParam().way, "die_at", std::string{to_string(GetParam().when)}});
    }
    [[nodiscard]] static bool dies(testing::child_process& process) {
        return in_the_end([&] { return process.ended().has_value(); }) && process.was_killed();
    }
};

TEST_P(WhenTheServiceDies, each_order_has_one_effect_after_it_was_started_again) { // B76 B74 B57
    place_orders(50);
    auto first = doomed_process();
    ASSERT_TRUE(dies(first));
    ASSERT_GT(rows_in_outbox() + (50 - invoiced_orders()), 0) << "there is something left to do";
    auto second = service_process({GetParam().way});
    EXPECT_TRUE(everything_is_done());
    stop(second);
    expect_one_effect_of_each_order();
}

TEST_P(WhenTheServiceDies, another_instance_goes_on_with_its_work) { // B58 B76
    auto other = service_process({GetParam().way});
    auto first = doomed_process();
    while (!first.ended()) {
        place_orders(1);
    }
    ASSERT_TRUE(first.was_killed());
    place_orders(5);
    EXPECT_TRUE(everything_is_done());
    stop(other);
    expect_one_effect_of_each_order();
}

INSTANTIATE_TEST_SUITE_P(
    At, WhenTheServiceDies,
    ::testing::Values(death{moment::after_claim}, death{moment::in_handler}, death{moment::before_commit},
                      death{moment::after_commit}, death{moment::before_acknowledge}, death{moment::after_send},
                      death{moment::before_confirm}, death{moment::before_delete},
                      death{moment::after_claim, "in_groups"}, death{moment::in_handler, "in_groups"},
                      death{moment::before_commit, "in_groups"}, death{moment::after_commit, "in_groups"},
                      death{moment::before_acknowledge, "in_groups"}, death{moment::after_send, "from_memory"},
                      death{moment::before_confirm, "from_memory"}, death{moment::before_delete, "from_memory"},
                      death{moment::after_send, "by_key"}, death{moment::before_delete, "by_key"},
                      death{moment::before_commit, "scheduled"}, death{moment::after_commit, "scheduled"},
                      death{moment::before_delete, "scheduled"}),
    ::testing::PrintToStringParamName());

class WhenARelayDies : public billing_shop {};

TEST_F(WhenARelayDies, between_confirm_and_delete_it_has_sent_again_what_it_sent_under_the_same_id) { // B57
    make_billing_queue();
    start_audit();
    place_orders(50);
    auto first = service_process({"one_by_one", "die_at", "before_delete"});
    ASSERT_TRUE(in_the_end([&] { return first.was_killed(); }));
    auto second = service_process();
    EXPECT_TRUE(everything_is_done());
    stop(second);
    expect_one_effect_of_each_order();
    const auto came_twice = [](const heard_invoices& all) {
        return std::ranges::any_of(all, [](const auto& order) { return order.second.begin()->second > 1; });
    };
    EXPECT_TRUE(heard.eventually(came_twice));
}

} // namespace
} // namespace ferry::scenarios

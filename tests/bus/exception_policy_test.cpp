#include <ferry/exception_policy.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

namespace ferry {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct outage : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct database_outage : outage {
    using outage::outage;
};

/// The text of the rule that is for this exception.
template <typename Exception> std::string rule_for(exception_policy policy, const Exception& thrown) {
    policy.seal();
    const exception_rule* found = policy.match(std::make_exception_ptr(thrown));
    return found == nullptr ? "none" : found->text();
}

std::string only_rule(const std::function<void(exception_policy&)>& configure) {
    exception_policy policy;
    configure(policy);
    EXPECT_EQ(policy.rules().size(), 1U);
    return policy.rules().front().text();
}

TEST(ExceptionPolicy, has_no_rule_for_what_it_was_not_told) { // B17
    EXPECT_EQ(rule_for(exception_policy{}, outage{"x"}), "none");
    exception_policy policy;
    policy.on<database_outage>().discard();
    EXPECT_EQ(rule_for(policy, outage{"x"}), "none");
}

TEST(ExceptionPolicy, takes_every_action_and_chain) {
    const auto rule = [](auto configure) {
        return only_rule([configure](exception_policy& policy) { configure(policy.otherwise()); });
    };
    EXPECT_EQ(rule([](auto on) { on.discard(); }), "otherwise: discard");
    EXPECT_EQ(rule([](auto on) { on.dead_letter(); }), "otherwise: dead letter");
    EXPECT_EQ(rule([](auto on) { on.retry(); }), "otherwise: retry 3 x 200 ms exponential, then dead letter");
    EXPECT_EQ(rule([](auto on) { on.retry(5); }), "otherwise: retry 5 x 200 ms exponential, then dead letter");
    EXPECT_EQ(rule([](auto on) { on.retry(5, 2s); }), "otherwise: retry 5 x 2 s exponential, then dead letter");
    EXPECT_EQ(rule([](auto on) { on.retry(2, 1min, backoff::linear); }),
              "otherwise: retry 2 x 1 min linear, then dead letter");
    EXPECT_EQ(rule([](auto on) { on.retry({1s, 2min}); }), "otherwise: retry 1 s, 2 min, then dead letter");
    EXPECT_EQ(rule([](auto on) { on.retry({.attempts = 7, .jitter = 0}).then_discard(); }),
              "otherwise: retry 7 x 200 ms exponential, then discard");
    EXPECT_EQ(rule([](auto on) { on.redeliver(); }), "otherwise: redeliver 5 min, 15 min, 30 min, then dead letter");
    EXPECT_EQ(rule([](auto on) { on.redeliver(2, 1min).then_discard(); }),
              "otherwise: redeliver 2 x 1 min exponential, then discard");
    EXPECT_EQ(rule([](auto on) { on.redeliver({30s}).then_dead_letter(); }),
              "otherwise: redeliver 30 s, then dead letter");
    EXPECT_EQ(rule([](auto on) { on.retry(1).then_redeliver({30s, 5min}).then_discard(); }),
              "otherwise: retry 1 x 200 ms exponential, then redeliver 30 s, 5 min, then discard");
    EXPECT_EQ(rule([](auto on) { on.retry(1).then_dead_letter(); }),
              "otherwise: retry 1 x 200 ms exponential, then dead letter");
}

TEST(ExceptionPolicy, of_resilience_without_arguments_retries_then_redelivers) {
    EXPECT_EQ(exception_policy::standard().rules().front().text(),
              "otherwise: retry 3 x 200 ms exponential, then redeliver 5 min, 15 min, 30 min, then dead letter");
}

TEST(ExceptionPolicy, prefers_the_most_derived_type_in_any_order) { // B22
    std::vector<int> order{0, 1, 2, 3};
    do {
        exception_policy policy;
        for (const int each : order) {
            switch (each) {
            case 0:
                policy.otherwise().discard();
                break;
            case 1:
                policy.on<std::exception>().retry(1);
                break;
            case 2:
                policy.on<outage>().retry(2);
                break;
            default:
                policy.on<database_outage>().retry(3);
            }
        }
        EXPECT_THAT(rule_for(policy, database_outage{"x"}), HasSubstr("retry 3"));
        EXPECT_THAT(rule_for(policy, outage{"x"}), HasSubstr("retry 2"));
        EXPECT_THAT(rule_for(policy, std::logic_error{"x"}), HasSubstr("retry 1"));
        EXPECT_THAT(rule_for(policy, 17), HasSubstr("discard"));
    } while (std::ranges::next_permutation(order).found);
}

TEST(ExceptionPolicy, prefers_a_true_predicate_to_none_and_then_the_first) { // B22
    exception_policy policy;
    policy.on<outage>().dead_letter();
    policy.on<outage>([](const outage& thrown) { return std::string_view{thrown.what()} == "a"; }).retry(1);
    policy.on<outage>([](const outage&) { return true; }).retry(2);
    EXPECT_THAT(rule_for(policy, outage{"a"}), HasSubstr("retry 1"));
    EXPECT_THAT(rule_for(policy, outage{"b"}), HasSubstr("retry 2"));
}

TEST(ExceptionPolicy, falls_to_the_next_best_rule_when_a_predicate_is_false) { // B23
    exception_policy policy;
    policy.on<database_outage>([](const database_outage&) { return false; }).discard();
    policy.on<outage>().retry(2);
    EXPECT_THAT(rule_for(policy, database_outage{"x"}), HasSubstr("retry 2"));
}

TEST(ExceptionPolicy, takes_a_predicate_that_throws_for_one_that_is_false) {
    exception_policy policy;
    policy.on<outage>([](const outage&) -> bool { throw std::logic_error{"in the predicate"}; }).discard();
    policy.otherwise().dead_letter();
    EXPECT_EQ(rule_for(policy, outage{"x"}), "otherwise: dead letter");
}

TEST(ExceptionPolicy, replaces_a_rule_that_is_stated_again) { // B24
    exception_policy policy;
    policy.on<outage>().discard();
    policy.otherwise().discard();
    policy.on<outage>().retry(4);
    policy.otherwise().retry(5);
    EXPECT_EQ(policy.rules().size(), 2U);
    EXPECT_THAT(rule_for(policy, outage{"x"}), HasSubstr("retry 4"));
    EXPECT_THAT(rule_for(policy, std::logic_error{"x"}), HasSubstr("retry 5"));
}

TEST(ExceptionPolicy, has_rules_for_what_is_no_standard_exception) { // B25
    exception_policy policy;
    policy.on<int>([](int code) { return code == 17; }).retry(17);
    policy.on<std::exception>().discard();
    policy.otherwise().dead_letter();
    EXPECT_THAT(rule_for(policy, 17), HasSubstr("retry 17"));
    EXPECT_EQ(rule_for(policy, 18), "otherwise: dead letter");
    EXPECT_EQ(rule_for(policy, std::string{"text"}), "otherwise: dead letter");
}

TEST(ExceptionPolicy, says_what_cannot_work) { // B9
    exception_policy policy;
    (void)policy.on<outage>();
    policy.otherwise().retry(0).then_redeliver(2, -1s);
    std::vector<std::string> problems;
    policy.validate("bus", problems);
    EXPECT_THAT(problems,
                ElementsAre(HasSubstr("outage: the rule says nothing; call discard, dead_letter, retry or redeliver"),
                            "bus, exception policy, otherwise, retry: 0 attempts are none; ask for 1 or more, or leave "
                            "it away",
                            "bus, exception policy, otherwise, redelivery: a delay is negative; set it to zero or "
                            "more"));
}

} // namespace
} // namespace ferry

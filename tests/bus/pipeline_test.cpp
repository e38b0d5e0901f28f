#include <ferry/pipeline_plan.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ferry {
namespace {

struct trace {
    std::vector<std::string> steps;
};

template <char Name> struct noted {
    static constexpr char text[] = {Name, 0};
    static constexpr std::string_view key = text;
    void operator()(trace& context, next<trace> next) const {
        context.steps.push_back(std::string{"before "} + Name);
        next(context);
        context.steps.push_back(std::string{"after "} + Name);
    }
};

using where = placement<trace>::where;

pipeline_plan<trace> plan_of_two() {
    pipeline_plan<trace> plan;
    plan.use(noted<'a'>{}).use(noted<'z'>{});
    return plan;
}

std::vector<std::string> keys_of(pipeline_plan<trace> plan) { return std::move(plan).seal().keys(); }

TEST(Pipeline, runs_its_stages_outside_in_and_back) {
    const pipeline<trace> stages = plan_of_two().seal();
    trace context;
    stages(context);
    EXPECT_EQ(context.steps, (std::vector<std::string>{"before a", "before z", "after z", "after a"}));
}

TEST(Pipeline, may_be_empty) {
    const pipeline<trace> stages = pipeline_plan<trace>{}.seal();
    trace context;
    stages(context);
    EXPECT_TRUE(context.steps.empty());
}

TEST(Pipeline, lets_exceptions_travel_out_through_its_stages) {
    pipeline_plan<trace> plan;
    plan.use(noted<'a'>{});
    ASSERT_FALSE(plan.place({where::before, "a", {"catching", [](trace& context, next<trace> next) {
                                                      try {
                                                          next(context);
                                                      } catch (const std::runtime_error& thrown) {
                                                          context.steps.emplace_back(thrown.what());
                                                      }
                                                  }}}));
    ASSERT_FALSE(
        plan.place({where::innermost, "", {"throwing", [](trace&, next<trace>) { throw std::runtime_error{"no"}; }}}));
    trace context;
    std::move(plan).seal()(context);
    EXPECT_EQ(context.steps, (std::vector<std::string>{"no"}));
}

TEST(Pipeline, runs_the_rest_again_when_a_stage_says_so) {
    pipeline_plan<trace> plan;
    plan.use(noted<'z'>{});
    ASSERT_FALSE(plan.place({where::before, "z", {"twice", [](trace& context, next<trace> next) {
                                                      next(context);
                                                      next(context);
                                                  }}}));
    trace context;
    std::move(plan).seal()(context);
    EXPECT_EQ(context.steps.size(), 4U);
}

TEST(PipelinePlan, leaves_out_a_stage_that_is_off) {
    pipeline_plan<trace> plan;
    plan.use(std::optional<noted<'a'>>{}).use(std::optional{noted<'b'>{}});
    EXPECT_EQ(keys_of(std::move(plan)), (std::vector<std::string>{"b"}));
}

TEST(PipelinePlan, places_a_stage_innermost_before_or_after) {
    pipeline_plan<trace> plan = plan_of_two();
    EXPECT_FALSE(plan.place({where::innermost, "", {"i", noted<'i'>{}}}));
    EXPECT_FALSE(plan.place({where::before, "a", {"b", noted<'b'>{}}}));
    EXPECT_FALSE(plan.place({where::after, "a", {"c", noted<'c'>{}}}));
    EXPECT_EQ(keys_of(std::move(plan)), (std::vector<std::string>{"b", "a", "c", "i", "z"}));
}

TEST(PipelinePlan, keeps_the_order_of_stages_that_are_placed_at_the_same_spot) {
    pipeline_plan<trace> plan = plan_of_two();
    for (const char* key : {"1", "2"}) {
        EXPECT_FALSE(plan.place({where::after, "a", {std::string{"after "} + key, noted<'c'>{}}}));
        EXPECT_FALSE(plan.place({where::before, "a", {std::string{"before "} + key, noted<'c'>{}}}));
    }
    EXPECT_EQ(keys_of(std::move(plan)),
              (std::vector<std::string>{"before 1", "before 2", "a", "after 1", "after 2", "z"}));
}

TEST(PipelinePlan, refuses_an_unknown_key_and_says_which_there_are) { // B9
    pipeline_plan<trace> plan = plan_of_two();
    EXPECT_EQ(plan.place({where::before, "inbox", {"own", noted<'o'>{}}}),
              "stage 'own' is placed next to 'inbox', which is not in the pipeline; it has 'a', 'z'");
}

TEST(PipelinePlan, refuses_a_second_stage_with_the_same_key) {
    pipeline_plan<trace> plan = plan_of_two();
    EXPECT_TRUE(plan.place({where::innermost, "", {"a", noted<'a'>{}}}));
}

TEST(PipelinePlan, lets_a_user_replace_a_stage_that_is_off) {
    pipeline_plan<trace> plan;
    plan.use(noted<'a'>{}).use(std::optional<noted<'o'>>{}).use(noted<'z'>{});
    EXPECT_FALSE(plan.place({where::before, "a", {"o", noted<'o'>{}}}));
    EXPECT_EQ(keys_of(std::move(plan)), (std::vector<std::string>{"o", "a", "z"}));
}

TEST(PipelinePlan, refuses_a_stage_behind_the_last_which_would_never_run) {
    pipeline_plan<trace> plan = plan_of_two();
    EXPECT_TRUE(plan.place({where::after, "z", {"own", noted<'o'>{}}}));
}

} // namespace
} // namespace ferry

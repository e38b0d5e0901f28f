#include "group_of_tasks.hpp"
#include "postgres_shop.hpp"

namespace ferry::scenarios {
namespace {

class GroupCommitOnPostgres : public shop_with_groups<postgres_shop> {};

TEST_F(GroupCommitOnPostgres, has_the_results_of_one_by_one_for_any_mix) { // B75
    expect_the_results_of_one_by_one(16, 4);
}

TEST_F(GroupCommitOnPostgres, calls_back_what_was_scheduled_in_the_same_group) { // B75 B79
    expect_the_results_of_one_by_one(16, 1);
}

} // namespace
} // namespace ferry::scenarios

#include "group_of_tasks.hpp"
#include "store_around.hpp"
#include "stored_shop.hpp"

#include <atomic>

namespace ferry::scenarios {
namespace {

using ::testing::HasSubstr;

class GroupCommit : public shop_with_groups<stored_shop> {};

TEST_F(GroupCommit, has_the_results_of_one_by_one_for_any_mix) { expect_the_results_of_one_by_one(16, 2); } // B75

TEST_F(GroupCommit, calls_back_what_was_scheduled_in_the_same_group) { // B75 B79
    expect_the_results_of_one_by_one(16, 1);
}

/// Counts what the database is asked to commit.
class counting_store final : public store_around {
public:
    counting_store(std::unique_ptr<ferry::store> inner, std::atomic<int>& commits)
        : store_around{std::move(inner)}, commits_{commits} {}

    [[nodiscard]] std::unique_ptr<unit_of_work> work() override {
        class counting_work final : public work_around {
        public:
            counting_work(std::unique_ptr<unit_of_work> inner, std::atomic<int>& commits)
                : work_around{std::move(inner)}, commits_{commits} {}
            std::vector<std::int64_t> commit() override {
                ++commits_;
                return work_around::commit();
            }

        private:
            std::atomic<int>& commits_;
        };
        return std::make_unique<counting_work>(store_around::work(), commits_);
    }

private:
    std::atomic<int>& commits_;
};

TEST_F(GroupCommit, costs_one_commit) { // B75
    std::atomic<int> commits = 0;
    std::atomic<bool> all_there{false};
    auto builder = shop::service("work");
    builder->persistence(std::make_unique<counting_store>(std::make_unique<sqlite::store>(file), commits));
    builder->concurrency_limit(1).group_commit(64); // and so many are fetched ahead
    builder->handle<task>([&](const task& order, consume_context& context) {
        write_invoice(context, order.id);
        if (order.id == "first") { // until all the others are where the slot takes them from
            EXPECT_TRUE(testing::eventually([&] { return all_there && broker->depth("work.task") == 0; }));
        }
    });
    const auto working = started(*builder);
    working->publish(task{"first"}, ferry::immediate);
    for (int i = 0; i < 64; ++i) {
        working->publish(task{std::to_string(i)}, ferry::immediate);
    }
    all_there = true;
    EXPECT_TRUE(testing::eventually([&] { return working->counts().handled == 65; }));
    EXPECT_EQ(invoices().size(), 65U);
    EXPECT_EQ(commits, 2) << "one for the first, and one for all that waited behind it";
}

/// A group of which the first is handled when the bus is told to stop.
class GroupCommitThatIsStopped : public stored_shop {
protected:
    void run(bool first_fails) {
        auto builder = service("work");
        builder->concurrency_limit(1).group_commit(64);
        builder->handle<task>([this, first_fails](const task& order, consume_context& context) {
            begun.change([&](auto& all) { all.push_back(order.id); });
            if (order.id == "alone") { // until the others are where the slot takes them from
                EXPECT_TRUE(all_wait.eventually([](bool yes) { return yes; }));
                return;
            }
            write_invoice(context, order.id);
            EXPECT_TRUE(testing::eventually([&] { return context.stopping().stop_requested(); }));
            if (first_fails) {
                throw std::runtime_error{"this one is bad"};
            }
        });
        const auto working = started(*builder);
        working->publish(task{"alone"}, ferry::immediate);
        ASSERT_TRUE(begun.eventually([](const auto& all) { return all.size() == 1; }));
        for (int i = 0; i < 20; ++i) {
            working->publish(task{std::to_string(i)}, ferry::immediate);
        }
        ASSERT_TRUE(testing::eventually([&] { return broker->depth("work.task") == 0; }));
        all_wait.change([](bool& yes) { yes = true; });
        ASSERT_TRUE(begun.eventually([](const auto& all) { return all.size() == 2; }));
        EXPECT_TRUE(working->stop().complete());
        EXPECT_THAT(begun.get(), ::testing::ElementsAre("alone", "0"));
        EXPECT_TRUE(invoices().empty());
        EXPECT_EQ(working->counts().returned, 20U);
        EXPECT_EQ(broker->depth("work.task"), 20U) << "the queue has all of them again";
    }
    watched<std::vector<std::string>> begun;
    watched<bool> all_wait{false};
};

TEST_F(GroupCommitThatIsStopped, gives_back_what_has_not_begun) { run(false); } // B75 B94

TEST_F(GroupCommitThatIsStopped, does_not_begin_one_by_one_after_a_failure) { run(true); } // B75 B94

TEST_F(GroupCommit, fetches_enough_ahead_for_two_groups_a_slot) {
    auto builder = service("work");
    builder->concurrency_limit(2).group_commit(64).handle<task>([](const task&) {});
    EXPECT_EQ(builder->build().describe().endpoints.front().prefetch, 256U);
}

TEST_F(GroupCommit, settles_duplicates_within_a_group) { // B75 B68
    const uuid id = id_source{1}.next(time_point{1s});
    const task_results found = run({{{"1"}, id}, {{"1"}, id}, {{"1"}, id}}, 16, 2);
    EXPECT_EQ(found.rows.size(), 1U);
    EXPECT_EQ(found.sent.size(), 1U);
    EXPECT_EQ(found.duplicates, 2U);
}

TEST_F(GroupCommit, needs_a_store) { // B9
    auto builder = shop::service("work");
    builder->group_commit(16).handle<task>([](const task&) {});
    try {
        (void)builder->build();
        FAIL() << "was built";
    } catch (const build_error& wrong) {
        EXPECT_THAT(wrong.what(), HasSubstr("a group commit needs a store"));
    }
}

} // namespace
} // namespace ferry::scenarios

#include "store_around.hpp"
#include "stored_shop.hpp"

#include <map>
#include <random>
#include <set>

namespace ferry::scenarios {
namespace {

using ::testing::HasSubstr;

struct task {
    std::string id;
    bool fails = false;
};
struct task_done {
    std::string id;
};

/// What is left when all tasks are through: rows, messages, dead letters.
struct result {
    std::multiset<std::string> rows = {};
    std::multiset<std::string> sent = {};
    std::uint64_t dead = 0;
    std::uint64_t duplicates = 0;

    friend bool operator==(const result&, const result&) = default;
    friend std::ostream& operator<<(std::ostream& out, const result& each) {
        return out << each.rows.size() << " rows, " << each.sent.size() << " sent, " << each.dead << " dead, "
                   << each.duplicates << " duplicates";
    }
};

class GroupCommit : public stored_shop {
protected:
    struct delivery_of_task {
        task what;
        uuid id;
    };

    [[nodiscard]] static std::vector<delivery_of_task> random_mix(unsigned seed, int count) {
        std::mt19937 random{seed};
        id_source ids{seed};
        std::vector<delivery_of_task> all;
        for (int i = 0; i < count; ++i) {
            const auto chance = random() % 10;
            if (chance == 0 && !all.empty()) {
                all.push_back(all[random() % all.size()]);
            } else {
                all.push_back({{std::to_string(i), chance == 1}, ids.next(time_point{1s})});
            }
        }
        return all;
    }

    [[nodiscard]] result run(const std::vector<delivery_of_task>& mix, std::size_t group) {
        broker = std::make_shared<memory::broker>();
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
        exec(*own(), "create table invoices (order_id text)");
        watched<std::multiset<std::string>> heard;
        auto auditor = shop::service("audit");
        auditor->handle<task_done>(
            [&](const task_done& done) { heard.change([&](auto& all) { all.insert(done.id); }); });
        const auto audit = started(*auditor);
        { // the queue, before anybody handles what is in it
            auto builder = service("work");
            builder->handle<task>([](const task&) {});
            (void)started(*builder);
        }
        for (const delivery_of_task& each : mix) {
            envelope raw;
            raw.message_type = message_type::of<task>().urn;
            raw.message_id = each.id;
            raw.body =
                buffer{R"({"id":")" + each.what.id + R"(","fails":)" + (each.what.fails ? "true" : "false") + "}"};
            inject("work.task", raw);
        }
        auto builder = service("work");
        builder->concurrency_limit(2).prefetch(64).group_commit(group).circuit_breaker({.enabled = false});
        builder->handle<task>([](const task& order, consume_context& context) {
            write_invoice(context, order.id);
            context.publish(task_done{order.id});
            if (order.fails) {
                throw std::runtime_error{"this one is bad"};
            }
        });
        const auto working = started(*builder);
        EXPECT_TRUE(testing::eventually([&] {
            const bus_counts counts = working->counts();
            return counts.handled + counts.dead_lettered == mix.size();
        }));
        EXPECT_TRUE(testing::eventually([&] { return working->outbox().counts().pending == 0; }));
        const auto rows = invoices();
        result found{.rows = {rows.begin(), rows.end()},
                     .dead = working->counts().dead_lettered,
                     .duplicates = working->counts().duplicates};
        EXPECT_TRUE(heard.eventually([&](const auto& all) { return all.size() >= rows.size(); }));
        found.sent = heard.get();
        return found;
    }
};

TEST_F(GroupCommit, has_the_results_of_one_by_one_for_any_mix) { // B75
    for (unsigned seed = 1; seed <= 6; ++seed) {
        const auto mix = random_mix(seed, 150);
        result one_by_one = run(mix, 1);
        result in_groups = run(mix, 16);
        one_by_one.duplicates = in_groups.duplicates = 0; // a bad one and its copy both run: who is counted varies
        EXPECT_EQ(in_groups, one_by_one) << "seed " << seed;
    }
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
    auto builder = shop::service("work");
    builder->persistence(std::make_unique<counting_store>(std::make_unique<sqlite::store>(file), commits));
    builder->concurrency_limit(1).prefetch(65).group_commit(64);
    builder->handle<task>([&](const task& order, consume_context& context) {
        write_invoice(context, order.id);
        if (order.id == "first") { // until all the others are where the slot takes them from
            EXPECT_TRUE(testing::eventually(
                [&] { return context.delivery().earlier_deliveries() == 0 && broker->depth("work.task") == 0; }));
        }
    });
    const auto working = started(*builder);
    working->publish(task{"first"}, ferry::immediate);
    for (int i = 0; i < 64; ++i) {
        working->publish(task{std::to_string(i)}, ferry::immediate);
    }
    EXPECT_TRUE(testing::eventually([&] { return working->counts().handled == 65; }));
    EXPECT_EQ(invoices().size(), 65U);
    EXPECT_EQ(commits, 2) << "one for the first, and one for all that waited behind it";
}

TEST_F(GroupCommit, settles_duplicates_within_a_group) { // B75 B68
    const uuid id = id_source{1}.next(time_point{1s});
    const result found = run({{{"1"}, id}, {{"1"}, id}, {{"1"}, id}}, 16);
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

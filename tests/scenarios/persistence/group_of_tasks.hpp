#pragma once

#include "../shop.hpp"

#include <filesystem>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <thread>

namespace ferry::scenarios {

struct task {
    std::string id;
    bool fails = false;
    bool is_slow = false;
    bool reminds = false;        // an hour later, unless it is called back
    std::string calls_back = {}; // the task whose reminder is not needed
};
struct task_done {
    std::string id;
};

/// What is left when all tasks are through: rows, messages, dead letters.
struct task_results {
    std::multiset<std::string> rows = {};
    std::multiset<std::string> sent = {};
    std::uint64_t scheduled = 0;
    std::uint64_t dead = 0;
    std::uint64_t duplicates = 0;

    friend bool operator==(const task_results&, const task_results&) = default;
    friend std::ostream& operator<<(std::ostream& out, const task_results& each) {
        return out << each.rows.size() << " rows, " << each.sent.size() << " sent, " << each.scheduled << " scheduled, "
                   << each.dead << " dead, " << each.duplicates << " duplicates";
    }
};

struct delivery_of_task {
    task what;
    uuid id;
};

/// Good ones, bad ones, slow ones and duplicates, those that schedule and those that call back, nearly always what was
/// scheduled shortly before.
[[nodiscard]] inline std::vector<delivery_of_task> random_mix(unsigned seed, int count) {
    std::mt19937 random{seed};
    id_source ids{seed};
    std::vector<delivery_of_task> all;
    std::string last_reminder;
    for (int i = 0; i < count; ++i) {
        const auto chance = random() % 10;
        if (chance == 0 && !all.empty()) {
            all.push_back(all[random() % all.size()]);
            continue;
        }
        task next{.id = std::to_string(i), .fails = chance == 1, .is_slow = chance == 2, .reminds = random() % 3 == 0};
        if (random() % 3 == 0) {
            next.calls_back = last_reminder;
        }
        if (next.reminds) {
            last_reminder = next.id;
        }
        all.push_back({next, ids.next(time_point{1s})});
    }
    return all;
}

/// Does the same tasks in groups of different sizes, in one of the shops with a store.
template <typename Shop> class shop_with_groups : public Shop {
protected:
    [[nodiscard]] task_results run(const std::vector<delivery_of_task>& mix, std::size_t group, std::size_t slots) {
        this->broker = std::make_shared<memory::broker>();
        this->begin_anew();
        watched<std::multiset<std::string>> heard;
        auto auditor = shop::service("audit");
        auditor->template handle<task_done>(
            [&](const task_done& done) { heard.change([&](auto& all) { all.insert(done.id); }); });
        const auto audit = this->started(*auditor);
        { // the queue, before anybody handles what is in it
            auto builder = this->service("work");
            builder->template handle<task>([](const task&) {});
            (void)this->started(*builder);
        }
        for (const delivery_of_task& each : mix) {
            inject_task(each);
        }
        tokens.change([](auto& all) { all.clear(); });
        auto builder = this->service("work");
        builder->concurrency_limit(slots).prefetch(64).group_commit(group).circuit_breaker({.enabled = false});
        builder->template handle<task>([this](const task& order, consume_context& context) {
            const bool called_back = calls_back(order, context);
            Shop::write_invoice(context, order.id + (called_back ? " calls back " + order.calls_back : ""));
            context.publish(task_done{order.id});
            remind(order, context);
            if (order.is_slow) {
                std::this_thread::sleep_for(3ms); // so that others pass it
            }
            if (order.fails) {
                throw std::runtime_error{"this one is bad"};
            }
        });
        const auto working = this->started(*builder);
        EXPECT_TRUE(testing::eventually([&] {
            const bus_counts counts = working->counts();
            return counts.handled + counts.dead_lettered == mix.size();
        }));
        EXPECT_TRUE(testing::eventually([&] { return working->outbox().counts().pending == 0; }));
        const auto rows = this->invoices();
        task_results found{.rows = {rows.begin(), rows.end()},
                           .scheduled = working->outbox().counts().scheduled,
                           .dead = working->counts().dead_lettered,
                           .duplicates = working->counts().duplicates};
        EXPECT_TRUE(heard.eventually([&](const auto& all) { return all.size() >= rows.size(); }));
        found.sent = heard.get();
        return found;
    }
    void expect_the_results_of_one_by_one(std::size_t group, std::size_t slots) {
        for (unsigned seed = 1; seed <= 6; ++seed) {
            auto mix = random_mix(seed, 150);
            if (slots > 1) { // who is in time to call another one back would vary
                std::ranges::for_each(mix, [](delivery_of_task& each) { each.what.calls_back.clear(); });
            }
            task_results one_by_one = run(mix, 1, slots);
            task_results in_groups = run(mix, group, slots);
            one_by_one.duplicates = in_groups.duplicates = 0; // a bad one and its copy both run: who is counted varies
            EXPECT_EQ(in_groups, one_by_one) << "seed " << seed;
        }
    }

private:
    [[nodiscard]] bool calls_back(const task& order, consume_context& context) const {
        const auto all = tokens.get();
        const auto found = all.find(order.calls_back);
        return found != all.end() && context.cancel(found->second);
    }
    void remind(const task& order, consume_context& context) {
        if (order.reminds) {
            const schedule_token token = context.schedule_publish(task_done{order.id + " again"}, 1h);
            tokens.change([&](auto& all) { all[order.id] = token; });
        }
    }
    void inject_task(const delivery_of_task& each) {
        const auto text = [](bool value) { return std::string{value ? "true" : "false"}; };
        envelope raw;
        raw.message_type = message_type::of<task>().urn;
        raw.message_id = each.id;
        raw.body = buffer{R"({"id":")" + each.what.id + R"(","fails":)" + text(each.what.fails) + R"(,"is_slow":)" +
                          text(each.what.is_slow) + R"(,"reminds":)" + text(each.what.reminds) + R"(,"calls_back":")" +
                          each.what.calls_back + R"("})"};
        this->inject("work.task", raw);
    }

    watched<std::map<std::string, schedule_token>> tokens; // of what was scheduled, by the task that did
};

} // namespace ferry::scenarios

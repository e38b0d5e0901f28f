#include "private_broker.hpp"
#include "rabbit_shop.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

namespace ferry::scenarios {
namespace {

/// Two services, one with quorum queues and one with classic ones, and a shop that both hear of.
class WhenTheBrokerCrashes : private testing::owner_of_a_broker, public rabbit_shop {
protected:
    WhenTheBrokerCrashes() : rabbit_shop{own.api()} {}

    struct consumer {
        handled_orders handled;
        std::unique_ptr<ferry::bus> bus;
    };
    void start(consumer& which, const std::string& name, amqp::queue_type queues) {
        auto builder = service(name, impatient(queues));
        builder->handle<order_placed>(
            [&which](const order_placed& order, consume_context& context) { which.handled.add(order, context); });
        which.bus = started(*builder);
    }
    void start_all() {
        start(audit, "audit", amqp::queue_type::quorum);
        start(billing, "billing", amqp::queue_type::classic);
        auto builder = service("shop");
        shop = started(*builder);
    }
    /// Publishes one order after another; whoever is told of a failure goes on with the next.
    void publish_until(const std::atomic<bool>& enough) {
        for (int i = 0; !enough; ++i) {
            const std::string id = std::to_string(i);
            try {
                shop->publish(order_placed{id});
                confirmed.change([&](auto& all) { all.push_back(id); });
            } catch (const transport_error& failure) {
                EXPECT_TRUE(failure.is_transient()) << failure.what();
            }
        }
    }
    [[nodiscard]] bool more_are_confirmed() const {
        const std::size_t until_now = confirmed.get().size();
        return confirmed.eventually([&](const auto& all) { return all.size() >= until_now + 50; });
    }
    void expect_all_handled_by(const consumer& which) {
        EXPECT_TRUE(which.handled.have_all(confirmed.get()));
        expect_nothing_twice(*shop, which.handled);
        EXPECT_TRUE(testing::eventually([&] { return which.bus->health().transport.connected; }));
    }
    void crash() { own.crash(); }
    void restart() { own.restart(); }

    consumer audit;
    consumer billing;
    std::unique_ptr<bus> shop;
    watched<std::vector<std::string>> confirmed;
};

TEST_F(WhenTheBrokerCrashes, every_message_it_had_confirmed_is_handled) { // B84
    start_all();
    std::atomic<bool> enough = false;
    std::jthread customers{[&] { publish_until(enough); }};
    ASSERT_TRUE(more_are_confirmed());
    crash();
    EXPECT_TRUE(testing::eventually([&] { return !shop->health().transport.connected; }));
    restart();
    EXPECT_TRUE(more_are_confirmed());
    enough = true;
    customers.join();
    expect_all_handled_by(audit);
    expect_all_handled_by(billing);
}

TEST_F(WhenTheBrokerCrashes, a_polite_restart_is_no_different) { // B84
    start_all();
    std::atomic<bool> enough = false;
    std::jthread customers{[&] { publish_until(enough); }};
    ASSERT_TRUE(more_are_confirmed());
    restart();
    EXPECT_TRUE(more_are_confirmed());
    enough = true;
    customers.join();
    expect_all_handled_by(audit);
    expect_all_handled_by(billing);
}

/// A call of a handler: how often its message was handed out before, and in which round of redelivery it is.
struct visit {
    std::uint32_t earlier_deliveries;
    int round;
};
using visits = std::map<std::string, std::vector<visit>>;

bool came_again(const visits& all, const std::string& id) {
    return std::ranges::any_of(all.at(id), [](const visit& each) { return each.earlier_deliveries > 0; });
}

/// Those that came again without a word of it.
std::vector<std::string> unannounced(const visits& all) {
    std::vector<std::string> found;
    for (const auto& [id, each] : all) {
        std::map<int, int> fresh;
        for (const visit& one : each) {
            if (one.earlier_deliveries == 0 && ++fresh[one.round] > 1) {
                found.push_back(id);
            }
        }
    }
    return found;
}

bool came_in_its_second_round(const visits& all, const std::string& id) {
    return std::ranges::any_of(all.at(id), [](const visit& each) { return each.round == 1; });
}

class WhenTheBrokerCrashesMidway : public WhenTheBrokerCrashes {
protected:
    struct recorder {
        watched<visits> seen;
        std::unique_ptr<bus> running;
    };
    void start(recorder& which, const std::string& name, amqp::queue_type queues) {
        auto builder = service(name, impatient(queues));
        builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({3s}); });
        builder->handle<order_placed>([this, &which](const order_placed& order, consume_context& context) {
            const visit now{context.delivery().earlier_deliveries(), context.attempt().redelivery};
            which.seen.change([&](visits& all) { all[order.order_id].push_back(now); });
            if (order.order_id == "running" && now.earlier_deliveries == 0) {
                (void)release.eventually([](bool yes) { return yes; });
            }
            if (order.order_id == "failing" && now.round == 0) {
                throw std::runtime_error{"not today"};
            }
        });
        which.running = started(*builder);
    }
    /// One order is being handled, and one has failed and waits for its next round.
    static void expect_to_be_in_the_middle(const recorder& which) {
        ASSERT_TRUE(which.seen.eventually([](const visits& all) { return all.contains("running"); }));
        ASSERT_TRUE(testing::eventually([&] { return which.running->counts().redelivered == 1; }));
    }
    static void expect_all_of_it_afterwards(const recorder& which) {
        EXPECT_TRUE(which.seen.eventually([](const visits& all) { return all.contains("late"); }));
        EXPECT_TRUE(which.seen.eventually([](const visits& all) { return came_in_its_second_round(all, "failing"); }));
        EXPECT_TRUE(which.seen.eventually([](const visits& all) { return came_again(all, "running"); }));
    }
    /// What the broker confirms once it is back is handled as well, and nothing came twice as if it were new.
    void expect_to_work_again() {
        ASSERT_TRUE(testing::eventually([this] { return on_quorum.running->health().transport.connected; }));
        for (const char* id : {"1", "2", "3"}) {
            publish_surely(*on_quorum.running, id);
        }
        for (const recorder* which : {&on_quorum, &on_classic}) {
            EXPECT_TRUE(which->seen.eventually(
                [](const visits& all) { return all.contains("1") && all.contains("2") && all.contains("3"); }));
            EXPECT_THAT(unannounced(which->seen.get()), ::testing::IsEmpty());
        }
    }
    recorder on_quorum;
    recorder on_classic;
    watched<bool> release{false};
};

TEST_F(WhenTheBrokerCrashesMidway, what_is_handled_or_waits_for_its_time_comes_afterwards) { // B35 B84
    start(on_quorum, "audit", amqp::queue_type::quorum);
    start(on_classic, "billing", amqp::queue_type::classic);
    on_quorum.running->publish(order_placed{"running"});
    on_quorum.running->publish(order_placed{"failing"});
    expect_to_be_in_the_middle(on_quorum);
    expect_to_be_in_the_middle(on_classic);
    on_quorum.running->publish(order_placed{"late"}, {.deliver_at = clock{}() + 3s});
    crash();
    release.change([](bool& yes) { yes = true; });
    restart();
    expect_all_of_it_afterwards(on_quorum);
    expect_all_of_it_afterwards(on_classic);
    expect_to_work_again();
}

} // namespace
} // namespace ferry::scenarios

// ferry's transactional consumers over PostgreSQL, one by one or in groups: each message is claimed, written about and
// answered with a row of the outbox. Messages come from memory and the relay rests, so the database is what is
// measured.

#include "contest.hpp"
#include "order.hpp"
#include "watched_transport.hpp"

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/postgres/store.hpp>

#include <pqxx/pqxx>

#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace bench {

struct invoice_created {
    std::string order_id;
    std::string note;
};

} // namespace bench

namespace {

using namespace ferry::benchmarks;
using bench::order_of_size;
using bench::order_placed;

/// A transport whose broker seems to be away, so that the relay leaves its rows alone.
class without_relay final : public watched_transport {
public:
    using watched_transport::watched_transport;
    [[nodiscard]] ferry::transport_health health() const override {
        ferry::transport_health found = watched_transport::health();
        found.connected = false;
        return found;
    }
};

class contest {
public:
    explicit contest(const assignment& task) : task_{task} {}

    void run() {
        handling(task_, *this, false)->build().start(); // and stops again: its queue stays
        publish();
        ferry::bus bus = handling(task_, *this, true)->build();
        bus.start();
        while (bus.counts().handled < task_.count) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        watch_.stop();
        travel_times none;
        report(task_, watch_, none);
    }

private:
    [[nodiscard]] std::unique_ptr<ferry::transport> carrier() const {
        return std::make_unique<without_relay>(std::make_unique<ferry::memory::transport>(broker_));
    }

    static std::unique_ptr<ferry::bus_builder> handling(const assignment& task, contest& self, bool stored) {
        auto builder = std::make_unique<ferry::bus_builder>("bench");
        builder->transport(self.carrier());
        if (stored) {
            builder->persistence(ferry::postgres::store{task.database});
        }
        builder->concurrency_limit(task.slots).group_commit(stored ? task.group : 1);
        if (task.group == 1) { // or ferry fetches two groups a slot, which is more
            builder->prefetch(task.prefetch);
        }
        builder->handle<order_placed>(
            [&self](const order_placed& order, ferry::consume_context& context) { self.handle(order, context); },
            [&task](ferry::consumer_builder& consumer) { consumer.queue(task.queue); });
        return builder;
    }

    void publish() {
        ferry::bus_builder builder{"bench"};
        builder.transport(carrier());
        ferry::bus bus = builder.build();
        bus.start();
        for (std::size_t i = 0; i < task_.count; ++i) {
            bus.publish(order_of_size(task_.size, 0));
        }
    }

    void handle(const order_placed& order, ferry::consume_context& context) {
        std::call_once(first_, [this] { watch_.start(); });
        context.transaction<pqxx::transaction_base>().exec("insert into invoices (order_id, total) values ($1, $2)",
                                                           pqxx::params{order.order_id, order.total});
        context.publish(bench::invoice_created{order.order_id, order.note});
    }

    const assignment& task_;
    std::shared_ptr<ferry::memory::broker> broker_ = std::make_shared<ferry::memory::broker>();
    std::once_flag first_;
    stopwatch watch_;
};

} // namespace

int main(int count, char** arguments) {
    try {
        const assignment task = read_assignment(count, arguments);
        contest{task}.run();
    } catch (const std::exception& wrong) {
        std::cerr << wrong.what() << '\n';
        return 1;
    }
}

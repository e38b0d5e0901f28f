// ferry's outbox over PostgreSQL and RabbitMQ, in parts: fill writes rows, drain lets the relay send them, commit
// measures how long a row takes from its commit until the broker has confirmed it.

#include "contest.hpp"
#include "order.hpp"
#include "watched_transport.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/postgres/store.hpp>
#include <ferry/postgres/transaction.hpp>

#include <pqxx/pqxx>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace ferry::benchmarks;
using bench::order_of_size;
using bench::order_placed;

constexpr std::size_t rows_a_commit = 1000;
constexpr std::size_t publishers = 4; // one alone may not keep up: each waits for the disk
constexpr std::string_view place_header = "place";

void await(const auto& condition) {
    while (!condition()) {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
}

/// Keeps the last message it was given.
class capturing final : public watched_transport {
public:
    capturing(std::unique_ptr<ferry::transport> carrier, ferry::envelope& last)
        : watched_transport{std::move(carrier)}, last_{last} {}
    void send(const ferry::envelope& message, ferry::send_callback on_outcome) override {
        last_ = message;
        watched_transport::send(message, std::move(on_outcome));
    }

private:
    ferry::envelope& last_;
};

/// Starts the watch when the first message leaves.
class timing final : public watched_transport {
public:
    timing(std::unique_ptr<ferry::transport> carrier, stopwatch& watch)
        : watched_transport{std::move(carrier)}, watch_{watch} {}
    void send(const ferry::envelope& message, ferry::send_callback on_outcome) override {
        if (!std::exchange(started_, true)) {
            watch_.start();
        }
        watched_transport::send(message, std::move(on_outcome));
    }

private:
    stopwatch& watch_;
    bool started_ = false; // the relay alone sends
};

/// Notes when the broker has confirmed each message, by the place the message says it has.
class noting final : public watched_transport {
public:
    noting(std::unique_ptr<ferry::transport> carrier, std::vector<std::atomic<std::int64_t>>& confirmed)
        : watched_transport{std::move(carrier)}, confirmed_{confirmed} {}
    void send(const ferry::envelope& message, ferry::send_callback on_outcome) override {
        const auto place = static_cast<std::size_t>(*message.headers.find(place_header)->as<std::int64_t>());
        watched_transport::send(message, [this, place, told = std::move(on_outcome)](auto outcome) mutable {
            confirmed_[place] = nanoseconds_now();
            told(std::move(outcome));
        });
    }

private:
    std::vector<std::atomic<std::int64_t>>& confirmed_;
};

class contest {
public:
    explicit contest(const assignment& task) : task_{task} {}

    void run() {
        if (task_.mode == "fill") {
            fill();
        } else if (task_.mode == "drain") {
            drain();
        } else {
            commit();
        }
        report(task_, watch_, times_);
    }

private:
    void fill() {
        pqxx::connection database{task_.database};
        pqxx::nontransaction{database}.exec("drop schema if exists ferry cascade; drop table if exists invoices; "
                                            "create table invoices (order_id text not null, total float8 not null)");
        ferry::postgres::store store{task_.database, {.ensure_schema = true}};
        store.start({});
        watch_.start();
        write_rows(store);
        watch_.stop();
        store.stop();
        pqxx::nontransaction{database}.exec("checkpoint"); // not while somebody measures
    }

    void write_rows(ferry::postgres::store& store) const {
        ferry::envelope message = a_message();
        ferry::id_source ids;
        for (std::size_t written = 0; written < task_.count;) {
            const auto work = store.work();
            const ferry::time_point now = ferry::id_source::told(ferry::clock{}());
            for (std::size_t i = 0; i < rows_a_commit && written < task_.count; ++i, ++written) {
                message.message_id = message.correlation_id = message.conversation_id = ids.next(now);
                message.sent_at = now;
                work->append(ferry::stored_message::of(message, now, now));
            }
            (void)work->commit();
        }
    }

    /// As the dispatch pipeline makes it.
    [[nodiscard]] ferry::envelope a_message() const {
        ferry::envelope made;
        ferry::bus_builder builder{"bench"};
        builder.transport(std::make_unique<capturing>(std::make_unique<ferry::memory::transport>(), made));
        ferry::bus bus = builder.build();
        bus.start();
        bus.publish(order_of_size(task_.size, nanoseconds_now()));
        return made;
    }

    void drain() {
        declare_queue();
        ferry::bus_builder builder{"bench"};
        builder.transport(std::make_unique<timing>(carrier(), watch_)).persistence(store());
        ferry::bus bus = builder.build();
        bus.start();
        await([&] { return bus.counts().outbox_sent >= task_.count; });
        watch_.stop();
    }

    void commit() {
        declare_queue();
        ferry::bus_builder builder{"bench"};
        builder.transport(std::make_unique<noting>(carrier(), confirmed_)).persistence(store());
        ferry::bus bus = builder.build();
        bus.start();
        watch_.start();
        publish(bus);
        await([&] { return std::ranges::all_of(confirmed_, [](const auto& each) { return each != 0; }); });
        watch_.stop();
        for (std::size_t i = 0; i < task_.count; ++i) {
            times_.add_duration(confirmed_[i] - committed_[i]);
        }
    }

    void publish(ferry::bus& bus) {
        const auto began = std::chrono::steady_clock::now();
        std::atomic<std::size_t> next{0};
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < publishers; ++i) {
            threads.emplace_back([&] {
                pqxx::connection database{task_.database};
                for (std::size_t place = next++; place < task_.count; place = next++) {
                    std::this_thread::sleep_until(began + place * interval_);
                    publish(bus, database, place);
                }
            });
        }
    }

    void publish(ferry::bus& bus, pqxx::connection& database, std::size_t place) {
        pqxx::work transaction{database};
        ferry::dispatch_options options;
        options.headers.set(place_header, ferry::header_value{static_cast<std::int64_t>(place)});
        bus.outbox().publish(transaction, order_of_size(task_.size, nanoseconds_now()), options);
        transaction.commit();
        committed_[place] = nanoseconds_now();
        bus.outbox().wake();
    }

    /// A service that starts and stops again leaves its queue behind, for what is published.
    void declare_queue() const {
        ferry::bus_builder builder{"bench"};
        builder.transport(carrier());
        builder.handle<order_placed>([](const order_placed&) {},
                                     [this](ferry::consumer_builder& consumer) { consumer.queue(task_.queue); });
        ferry::bus bus = builder.build();
        bus.start();
    }

    [[nodiscard]] std::unique_ptr<ferry::transport> carrier() const {
        ferry::amqp::transport_options options;
        options.queues = task_.quorum ? ferry::amqp::queue_type::quorum : ferry::amqp::queue_type::classic;
        options.window = task_.window;
        return std::make_unique<ferry::amqp::transport>(task_.url, options);
    }

    [[nodiscard]] ferry::postgres::store store() const { return ferry::postgres::store{task_.database}; }

    const assignment& task_;
    const std::chrono::nanoseconds interval_ =
        std::chrono::nanoseconds{std::chrono::seconds{1}} / static_cast<std::int64_t>(task_.rate);
    stopwatch watch_;
    travel_times times_;
    std::vector<std::int64_t> committed_ = std::vector<std::int64_t>(paced_messages());
    std::vector<std::atomic<std::int64_t>> confirmed_ = std::vector<std::atomic<std::int64_t>>(paced_messages());

    [[nodiscard]] std::size_t paced_messages() const { return task_.mode == "commit" ? task_.count : 0; }
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

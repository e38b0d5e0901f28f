// The whole of ferry over RabbitMQ: publishing through the dispatch pipeline with JSON, handling through the default
// receive and consumer pipelines with JSON.

#include "contest.hpp"
#include "order.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>

namespace {

using namespace ferry::benchmarks;
using bench::order_of_size;
using bench::order_placed;

/// Keeps a publisher from running ahead of the broker. Whoever waits is woken when half of it is confirmed: waking is
/// dear.
class in_flight {
public:
    explicit in_flight(std::size_t most) : most_{most} {}

    void one_more() {
        if (++sent_ - confirmed_ >= most_) {
            wait_for(sent_ - most_ / 2);
        }
    }
    void wait_for_all() { wait_for(sent_); }
    void confirmed() {
        if (++confirmed_ == wanted_) {
            const std::scoped_lock lock{mutex_};
            enough_.notify_one();
        }
    }

private:
    void wait_for(std::size_t wanted) {
        wanted_ = wanted;
        std::unique_lock lock{mutex_};
        enough_.wait(lock, [&] { return confirmed_ >= wanted; });
    }

    const std::size_t most_;
    std::mutex mutex_;
    std::condition_variable enough_;
    std::size_t sent_ = 0;
    std::atomic<std::size_t> confirmed_{0};
    std::atomic<std::size_t> wanted_{0};
};

class contest {
public:
    explicit contest(const assignment& task) : task_{task} {}

    void run() {
        if (!task_.consumes()) {
            bus_with_handler().start(); // and stops again: its queue stays, for what is published
        }
        ferry::bus bus = task_.consumes() ? bus_with_handler() : build(a_builder());
        if (task_.publishes()) {
            bus.start();
            watch_.start();
            publish(bus);
        } else {
            bus.start();
        }
        if (task_.consumes()) {
            all_handled_.acquire();
        }
        watch_.stop();
        report(task_, watch_, times_);
    }

private:
    std::unique_ptr<ferry::bus_builder> a_builder() {
        auto builder = std::make_unique<ferry::bus_builder>("bench");
        builder->transport(ferry::amqp::transport{
            task_.url,
            {.queues = task_.quorum ? ferry::amqp::queue_type::quorum : ferry::amqp::queue_type::classic,
             .window = task_.window}});
        builder->prefetch(task_.prefetch);
        if (task_.slots > 0) {
            builder->concurrency_limit(task_.slots);
        }
        return builder;
    }

    static ferry::bus build(const std::unique_ptr<ferry::bus_builder>& builder) { return builder->build(); }

    ferry::bus bus_with_handler() {
        auto builder = a_builder();
        builder->handle<order_placed>([this](const order_placed& order) { handle(order); },
                                      [this](ferry::consumer_builder& consumer) { consumer.queue(task_.queue); });
        return builder->build();
    }

    void handle(const order_placed& order) {
        const std::size_t earlier = handled_.fetch_add(1, std::memory_order_relaxed);
        if (earlier == 0 && !task_.publishes()) {
            watch_.start();
        }
        if (task_.is_paced()) {
            times_.add(order.sent_at);
        }
        if (earlier + 1 == task_.count) {
            all_handled_.release();
        }
    }

    void publish(ferry::bus& bus) {
        const auto interval = std::chrono::nanoseconds{std::chrono::seconds{1}} / task_.rate;
        const order_placed order = order_of_size(task_.size, nanoseconds_now());
        const auto began = std::chrono::steady_clock::now();
        in_flight window{2 * task_.window}; // so that the transport's window never waits for this thread
        for (std::size_t i = 0; i < task_.count; ++i) {
            order_placed next = order;
            if (task_.is_paced()) {
                std::this_thread::sleep_until(began + i * interval);
                next.sent_at = nanoseconds_now();
            }
            bus.async_publish(std::move(next), [&window](const std::exception_ptr& failure) {
                if (failure) {
                    std::rethrow_exception(failure);
                }
                window.confirmed();
            });
            window.one_more();
        }
        window.wait_for_all();
    }

    const assignment& task_;
    stopwatch watch_;
    travel_times times_;
    std::atomic<std::size_t> handled_{0};
    std::binary_semaphore all_handled_{0};
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

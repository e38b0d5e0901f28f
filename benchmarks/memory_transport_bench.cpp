#include <ferry/memory/transport.hpp>

#include <benchmark/benchmark.h>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

// What the memory transport itself costs a message: packing, queueing, delivering, accepting.

namespace {

using namespace ferry;

class accepting_sink final : public delivery_sink {
public:
    void deliver(std::span<delivery> deliveries) override {
        for (delivery& each : deliveries) {
            std::move(each).accept();
        }
        accepted_.fetch_add(static_cast<std::int64_t>(deliveries.size()), std::memory_order_release);
    }
    void await(std::int64_t count) const {
        while (accepted_.load(std::memory_order_acquire) < count) {
            std::this_thread::yield();
        }
    }

private:
    std::atomic<std::int64_t> accepted_ = 0;
};

/// Keeps what it is given until another thread comes for it, as the slots of an endpoint do.
class handing_sink final : public delivery_sink {
public:
    void deliver(std::span<delivery> deliveries) override {
        const std::lock_guard lock{mutex_};
        std::ranges::move(deliveries, std::back_inserter(held_));
        ready_.notify_one();
    }
    std::size_t accept_some() {
        {
            std::unique_lock lock{mutex_};
            ready_.wait(lock, [this] { return !held_.empty(); });
            taken_.swap(held_);
        }
        const std::size_t count = taken_.size();
        for (delivery& each : taken_) {
            std::move(each).accept();
        }
        taken_.clear();
        return count;
    }

private:
    std::mutex mutex_;
    std::condition_variable ready_;
    std::vector<delivery> held_;
    std::vector<delivery> taken_;
};

envelope an_order() {
    envelope message;
    message.message_id = uuid{std::array<std::uint8_t, 16>{1}};
    message.conversation_id = message.message_id;
    message.message_type = "urn:message:shop:order-placed";
    message.content_type = "application/json";
    message.destination = address::exchange("shop.order-placed");
    message.body.assign(R"({"order_id":"0190c0de-0000-7000-8000-000000000000","total":99.5})");
    return message;
}

class orders_queue {
public:
    explicit orders_queue(const memory::broker_options& options = {}) : transport_{options} {
        transport_.start({io_, {}});
        transport_.declare({.queues = {{.name = "billing.order-placed"}},
                            .exchanges = {{.name = "shop.order-placed"}},
                            .bindings = {{"shop.order-placed", address::queue("billing.order-placed")}}});
    }
    void send(const envelope& message) {
        transport_.send(message, [](const send_outcome&) {});
    }
    [[nodiscard]] auto consume(delivery_sink& sink, std::size_t prefetch) {
        return transport_.consume("billing.order-placed", {.prefetch = prefetch}, sink);
    }

private:
    boost::asio::io_context io_;
    memory::transport transport_;
};

void pack(benchmark::State& state) {
    const envelope message = an_order();
    for (auto _ : state) {
        benchmark::DoNotOptimize(packed_envelope{message});
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(pack);

void send_deliver_accept_on_one_thread(benchmark::State& state) {
    orders_queue orders;
    accepting_sink sink;
    const auto subscription = orders.consume(sink, 32);
    const envelope message = an_order();
    for (auto _ : state) {
        orders.send(message);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(send_deliver_accept_on_one_thread);

void drain_a_backlog(benchmark::State& state) {
    constexpr int backlog = 10'000;
    orders_queue orders;
    const envelope message = an_order();
    for (auto _ : state) {
        state.PauseTiming();
        accepting_sink sink;
        for (int i = 0; i < backlog; ++i) {
            orders.send(message);
        }
        state.ResumeTiming();
        const auto subscription = orders.consume(sink, 32);
        sink.await(backlog);
    }
    state.SetItemsProcessed(state.iterations() * backlog);
}
BENCHMARK(drain_a_backlog)->UseRealTime();

void send_to_a_consumer_thread(benchmark::State& state) {
    orders_queue orders{{.max_queue_messages = 100'000, .max_waiting_sends = 100'000'000}};
    handing_sink sink;
    const auto subscription = orders.consume(sink, 256);
    std::atomic<std::int64_t> accepted = 0;
    std::jthread consumer{[&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            accepted += static_cast<std::int64_t>(sink.accept_some());
        }
    }};
    const envelope message = an_order();
    std::int64_t sent = 0;
    for (auto _ : state) {
        orders.send(message);
        ++sent;
    }
    while (accepted < sent) {
        std::this_thread::yield();
    }
    state.SetItemsProcessed(sent);
    consumer.request_stop();
    orders.send(message); // lets the consumer look at its stop token
}
BENCHMARK(send_to_a_consumer_thread)->UseRealTime();

} // namespace

#pragma once

#include "allocations.hpp"

#include <ferry/consumer.hpp>
#include <ferry/ferry.hpp>
#include <ferry/observer.hpp>
#include <ferry/pipeline_defaults.hpp>
#include <ferry/settings.hpp>

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct order_placed {
    std::string order_id;
    std::string customer;
    int quantity = 0;
    double total = 0;
};

} // namespace bench

namespace ferry::benchmarks {

using bench::order_placed;

/// Takes everything and does nothing, so that only the pipelines are measured.
class idle_surroundings final : public ferry::dispatcher,
                                public ferry::reply_sink,
                                public ferry::endpoint_control,
                                public ferry::delivery_origin,
                                public ferry::scheduler,
                                public ferry::transport {
public:
    using ferry::envelope_sender::send_now;
    void send_now(std::span<const ferry::envelope> messages, ferry::observation*) override {
        benchmark::DoNotOptimize(messages.data());
    }
    void dispatch_and_wait(const ferry::outgoing_message&, ferry::dispatch_context&) override {}
    void dispatch_and_wait(const ferry::outgoing_message&) override {}
    void request_and_wait(const ferry::outgoing_message&, ferry::duration,
                          std::move_only_function<void(const ferry::envelope&)>) override {}
    [[nodiscard]] ferry::time_point now() const override { return {}; }
    [[nodiscard]] ferry::schedule_token next_token() override { return {}; }
    bool complete(const ferry::envelope&) override { return true; }
    void hold(std::string_view, ferry::time_point) override {}
    void release(std::string_view) override {}
    void report(std::string_view) override {}
    void settle(ferry::delivered_message, ferry::verdict) noexcept override {}
    void keep(std::span<const ferry::envelope>) override {}
    bool cancel(const ferry::schedule_token&) override { return false; }
    [[nodiscard]] counts count() const override { return {}; }
    [[nodiscard]] std::string_view name() const noexcept override { return "idle"; }
    void start(const ferry::transport_host&) override {}
    void stop() noexcept override {}
    [[nodiscard]] ferry::transport_health health() const override { return {}; }
    void declare(const ferry::topology&) override {}
    void send(const ferry::envelope&, ferry::send_callback) override {}
    [[nodiscard]] std::unique_ptr<ferry::subscription> consume(const std::string&, const ferry::consume_options&,
                                                               ferry::delivery_sink&) override {
        return nullptr;
    }
};

/// An endpoint with one handler, as a bus would put it together.
class endpoint {
public:
    endpoint(std::function<void(const order_placed&)> handler, ferry::exception_policy policy,
             ferry::observer* watching = nullptr,
             const ferry::pipeline_defaults& defaults = ferry::standard_pipeline()) {
        ports_.observer = watching;
        policy.seal();
        settings_.redelivers = policy.redelivers();
        ferry::consumer_settings own{.name = "order-placed", .policy = std::move(policy)};
        ferry::pipeline_plan<ferry::receive_context> receive;
        defaults.receive(receive, settings_, around_, ports_);
        stages_.emplace(std::move(receive).seal());
        ferry::pipeline_plan<ferry::consume_context> consume;
        defaults.consume(consume, own, ports_);
        using handler_type = std::function<void(const order_placed&)>;
        consumer_.emplace(std::move(own), ferry::consumer_role::subscriber,
                          std::make_shared<ferry::typed_handler<order_placed, handler_type>>(std::move(handler)),
                          std::move(consume).seal());
        run_.emplace(*consumer_, around_);
        context_.emplace(settings_, std::vector{&*run_}, stopping_.get_token());
    }

    void handle(const ferry::packed_envelope& message) {
        ferry::delivery taken{{message, 1, 0}, around_};
        context_->open(taken);
        (*stages_)(*context_);
        if (!context_->settled()) {
            throw std::logic_error{"the message was not settled"};
        }
        std::move(taken).accept();
    }
    [[nodiscard]] ferry::settlement last() const { return *context_->settled(); }

private:
    idle_surroundings around_;
    ferry::bus_counters counters_;
    ferry::log_function log_ = [](ferry::log_level, std::string_view) {};
    ferry::timer_queue timers_{ferry::clock{}};
    ferry::stage_ports ports_{{}, around_, around_, around_, counters_, log_, timers_, around_};
    ferry::endpoint_settings settings_{.name = "desk",
                                       .address = ferry::address::queue("desk"),
                                       .error_queue = "desk_error",
                                       .skipped_queue = "desk_skipped",
                                       .circuit_breaker = {.failure_ratio = 1, .minimum_throughput = 1U << 31U}};
    std::optional<ferry::pipeline<ferry::receive_context>> stages_;
    std::optional<ferry::consumer> consumer_;
    std::optional<ferry::consumer_run> run_;
    std::stop_source stopping_;
    std::optional<ferry::receive_context> context_;
};

inline ferry::packed_envelope order(const ferry::headers& headers = {}) {
    ferry::id_source ids{1};
    ferry::envelope message;
    message.message_id = ids.next({});
    message.correlation_id = ids.next({});
    message.conversation_id = message.message_id;
    message.message_type = ferry::message_type::of<order_placed>().urn;
    message.content_type = "application/json";
    message.headers = headers;
    message.sent_at = ferry::clock{}();
    message.body =
        ferry::buffer{R"({"order_id":"order-0000017","customer":"customer-4711","quantity":3,"total":99.5})"};
    return ferry::packed_envelope{message};
}

inline void count_allocations(benchmark::State& state, std::uint64_t before) {
    state.counters["allocations"] = benchmark::Counter(static_cast<double>(ferry::benchmarks::allocations() - before),
                                                       benchmark::Counter::kAvgIterations);
}

} // namespace ferry::benchmarks

#pragma once

#include "delivery_queue.hpp"
#include "endpoint_gate.hpp"

#include <ferry/consumer.hpp>
#include <ferry/counters.hpp>
#include <ferry/log.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/pipeline_defaults.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/settings.hpp>
#include <ferry/stack_trace_source.hpp>
#include <ferry/transport.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace ferry {

/// What a receiver needs of the bus around it.
struct receiver_ports {
    dispatcher& bus;
    clock now;
    bus_counters& counters;
    const log_function& log;
    stack_trace_source* traces = nullptr;
    const persistence_ports* persistence = nullptr;
    ferry::observer* observer = nullptr;
};

/// One endpoint at work: takes deliveries of its queue and runs each through the receive pipeline on one of its slots.
class receiver final : public delivery_sink {
public:
    receiver(endpoint_settings settings, std::vector<std::unique_ptr<consumer>> consumers,
             pipeline<receive_context> stages, std::unique_ptr<endpoint_gate> gate, const receiver_ports& ports);
    receiver(const receiver&) = delete;
    receiver& operator=(const receiver&) = delete;
    ~receiver();

    void start(transport& carrier);
    /// Takes no more deliveries, gives back those no slot has begun, and cuts waits short.
    void stop_taking();
    /// Waits for the handlers that are running. False when the time was up first.
    [[nodiscard]] bool drain(time_point deadline);

    [[nodiscard]] const endpoint_settings& settings() const noexcept { return settings_; }
    [[nodiscard]] const std::vector<std::unique_ptr<consumer>>& consumers() const noexcept { return consumers_; }
    [[nodiscard]] const pipeline<receive_context>& stages() const noexcept { return stages_; }

    [[nodiscard]] endpoint_health health() const;

    void deliver(std::span<delivery> deliveries) override { waiting_.put(deliveries); }

private:
    class slot;
    void start_slot(std::size_t number);
    void slot_ended();

    endpoint_settings settings_;
    std::vector<std::unique_ptr<consumer>> consumers_;
    pipeline<receive_context> stages_;
    std::unique_ptr<endpoint_gate> gate_;
    receiver_ports ports_;
    delivery_queue waiting_;
    std::stop_source stopping_;
    std::unique_ptr<subscription> subscription_;

    std::mutex mutex_;
    std::condition_variable ended_;
    std::size_t running_slots_ = 0;
    std::vector<std::atomic<bool>> busy_; // one for each slot
    std::vector<std::jthread> threads_;
};

} // namespace ferry

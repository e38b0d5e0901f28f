#pragma once

#include "bus_dispatcher.hpp"
#include "bus_persistence.hpp"
#include "completion_queue.hpp"
#include "observers.hpp"
#include "receiver.hpp"
#include "reply_table.hpp"
#include "routes.hpp"
#include "timer_scheduler.hpp"

#include <ferry/bus.hpp>
#include <ferry/pipeline_defaults.hpp>
#include <ferry/registration.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ferry {

/// Everything a running bus consists of, and who owns what: the parts below are made in this order and go in the
/// opposite one.
class bus_core final : public observed_bus {
public:
    bus_core(bus_registration& registration, std::string reply_queue);
    bus_core(const bus_core&) = delete;
    bus_core& operator=(const bus_core&) = delete;
    ~bus_core() override;

    void start();
    stop_report run();
    stop_report stop();

    [[nodiscard]] stage_ports ports() noexcept {
        return {now_,      *transport_, dispatcher_, *replies_, counters_,
                log_,      timers_,     scheduler_,  traces_,   persistence_ports_of(),
                watching()};
    }
    [[nodiscard]] receiver_ports receiver_ports_of() noexcept {
        return {dispatcher_, now_, counters_, log_, traces_, persistence_ports_of(), watching()};
    }
    /// nullptr when nobody observes the bus.
    [[nodiscard]] observer* watching() noexcept { return observers_.empty() ? nullptr : &observers_; }
    [[nodiscard]] timer_queue& timers() noexcept { return timers_; }
    [[nodiscard]] clock now() const noexcept { return now_; }
    [[nodiscard]] bus_health health() const override;
    [[nodiscard]] bus_counts counts() const override { return counters_.read(); }
    [[nodiscard]] std::string_view service_name() const noexcept override { return service_; }
    [[nodiscard]] std::string_view transport_name() const noexcept override { return transport_->name(); }
    [[nodiscard]] ferry::scheduler& schedule() noexcept { return scheduler_; }
    /// nullptr for a bus without a store.
    [[nodiscard]] bus_persistence* persistence() noexcept { return persistence_.get(); }
    [[nodiscard]] bus_dispatcher& dispatcher() noexcept { return dispatcher_; }
    [[nodiscard]] route_table& routes() noexcept { return routes_; }
    [[nodiscard]] const std::shared_ptr<reply_table>& replies() noexcept { return replies_; }
    [[nodiscard]] const bus_counters& counters() const noexcept { return counters_; }
    [[nodiscard]] completion_queue& completions() noexcept { return completions_; }
    [[nodiscard]] const std::string& reply_queue() const noexcept { return reply_queue_; }

    /// The rest of the parts, which could only be made with the ports above.
    void complete(std::unique_ptr<receiver> replies, std::vector<std::unique_ptr<receiver>> endpoints, topology wanted);

    [[nodiscard]] const std::string& service() const noexcept { return service_; }
    [[nodiscard]] const ferry::transport& carrier() const noexcept { return *transport_; }
    [[nodiscard]] const topology& wanted() const noexcept { return topology_; }
    [[nodiscard]] const receiver& reply_receiver() const noexcept { return *reply_receiver_; }
    [[nodiscard]] const std::vector<std::unique_ptr<receiver>>& receivers() const noexcept { return receivers_; }

private:
    enum class state : unsigned char { built, running, stopped };

    [[nodiscard]] const persistence_ports* persistence_ports_of() const noexcept {
        return persistence_ ? &persistence_->ports() : nullptr;
    }
    [[nodiscard]] log_function observed(log_function write);
    [[nodiscard]] std::unique_ptr<bus_persistence> with_store(bus_registration& registration);
    [[nodiscard]] std::size_t slots() const noexcept;
    [[nodiscard]] bool start_unless_stopped();
    void start_parts();
    [[nodiscard]] bool begin_running() noexcept;
    void give_up_starting() noexcept;
    void stop_parts();
    void want_stop() noexcept;
    [[nodiscard]] std::vector<std::string> drain(time_point deadline);

    std::string service_;
    std::string reply_queue_;
    clock now_;
    log_function log_;
    stack_trace_source* traces_;
    observers observers_;
    duration stop_timeout_;
    bus_counters counters_;
    timer_queue timers_{now_};

    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> io_work_{io_.get_executor()};
    std::jthread io_thread_;
    std::unique_ptr<transport> transport_;
    route_table routes_;
    std::shared_ptr<reply_table> replies_; // a cancellation may come when the bus is gone
    std::unique_ptr<bus_persistence> persistence_;
    timer_scheduler timed_; // for a bus without a store
    ferry::scheduler& scheduler_;
    bus_dispatcher dispatcher_;
    completion_queue completions_{log_};
    topology topology_;
    // Last, so that their threads end before anything they use; and a handler may wait for a reply until its own end.
    std::unique_ptr<receiver> reply_receiver_;
    std::vector<std::unique_ptr<receiver>> receivers_;

    std::mutex mutex_;
    state state_ = state::built;
    stop_report report_;
    std::atomic<bool> running_{false};     // for health, which must not wait for a stop
    std::atomic<bool> stop_wanted_{false}; // what run() waits for
    std::mutex starting_mutex_;
    std::stop_source starting_; // requested by whoever stops the bus before it has started
    bool started_ = false;
};

} // namespace ferry

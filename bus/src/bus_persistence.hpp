#pragma once

#include "outbox_relay.hpp"
#include "store_cleanup.hpp"

#include <ferry/pipeline_defaults.hpp>
#include <ferry/scheduler.hpp>

#include <memory>
#include <span>

namespace ferry {

/// A bus's store, and what a bus does with it: writes what is published, keeps what is scheduled, relays both to the
/// broker, and forgets what is old.
class bus_persistence final : private outbox_writer, private scheduler {
public:
    bus_persistence(std::unique_ptr<ferry::store> store, persistence_options options, outbox_carrier carrier, clock now,
                    const log_function& log);
    bus_persistence(const bus_persistence&) = delete;
    bus_persistence& operator=(const bus_persistence&) = delete;
    ~bus_persistence() = default;

    /// Connects to the database; throws when its tables are not right.
    void start(std::size_t slots);
    /// From here on rows are counted and, as soon as the relay may send, relayed, until `stop_relay`.
    void start_relay();
    void stop_relay() noexcept;
    /// No handler runs any more.
    void stop() noexcept { store_->stop(); }

    [[nodiscard]] const persistence_ports& ports() const noexcept { return ports_; }
    [[nodiscard]] ferry::scheduler& schedule() noexcept { return *this; }
    [[nodiscard]] ferry::store& database() noexcept { return *store_; }
    [[nodiscard]] outbox_relay& relay() noexcept { return relay_; }
    [[nodiscard]] const outbox_relay& relay() const noexcept { return relay_; }

    /// Writes what was collected in a transaction of the application's own.
    void write_in(const native_transaction& transaction, collected_messages& collected);

private:
    void keep(collected_messages& collected, unit_of_work& work) override;
    void commit(unit_of_work& work) override;
    void write(const envelope& message) override;

    void keep(std::span<const envelope> messages) override;
    void keep_again(const envelope& message) override;
    bool cancel(const schedule_token& token) override;
    [[nodiscard]] counts count() const override;

    void keep_outgoing(const envelope& message, time_point now, unit_of_work& work);
    void take_in_hand(std::span<stored_message> rows);
    void send_in_hand(std::span<const stored_message> committed, std::span<const std::int64_t> numbers);

    std::unique_ptr<ferry::store> store_;
    const persistence_options options_;
    const clock now_;
    const log_function& log_;
    const persistence_ports ports_;
    id_source ids_;
    outbox_relay relay_;
    store_cleanup cleanup_;
};

} // namespace ferry

#pragma once

#include <ferry/log.hpp>
#include <ferry/observer.hpp>
#include <ferry/packed_envelope.hpp>
#include <ferry/scheduler.hpp>
#include <ferry/settings.hpp>
#include <ferry/timer_queue.hpp>
#include <ferry/transport.hpp>

#include <map>
#include <memory>
#include <mutex>

namespace ferry {

/// Keeps scheduled messages in the process.
class timer_scheduler final : public scheduler {
public:
    timer_scheduler(transport& carrier, timer_queue& timers, clock now, const log_function& log,
                    observer* watching = nullptr)
        : table_{std::make_shared<table>(carrier, timers, now, log, watching)} {}

    void keep(std::span<const envelope> messages) override;
    bool cancel(const schedule_token& token) override;
    [[nodiscard]] counts count() const override;
    /// Sends nothing more. Returns how many messages had still to be sent.
    std::size_t stop();

    /// More than this in one process belong into a store.
    static constexpr std::size_t most = 1'000'000;
    static constexpr int attempts = 8;
    static constexpr backoff_options waits{.base_delay = std::chrono::seconds{2},
                                           .max_delay = std::chrono::minutes{10}};

private:
    struct entry {
        packed_envelope message;
        timer_queue::timer timer = {};
        int failures = 0;
        bool is_event = true; ///< may find nobody
        bool sending = false;
        bool dead = false;
    };
    /// Shared with the transport's callbacks, which may come when the scheduler is gone.
    struct table : std::enable_shared_from_this<table> {
        table(transport& where, timer_queue& waking, clock time, const log_function& lines, observer* watching_it)
            : carrier{where}, timers{waking}, now{time}, log{lines}, watching{watching_it} {}

        void wait_until(const uuid& id, entry& waiting, time_point due);
        void send(const uuid& id);
        void ended(const uuid& id, const send_outcome& outcome);
        void failed(const uuid& id, entry& which, const std::string& reason);

        transport& carrier;
        timer_queue& timers;
        const clock now;
        const log_function& log;
        observer* const watching;
        std::mutex mutex;
        std::map<uuid, entry> entries;
        bool stopped = false;
    };

    std::shared_ptr<table> table_;
};

} // namespace ferry

#pragma once

#include <ferry/pipeline_defaults.hpp>
#include <ferry/request.hpp>
#include <ferry/timer_queue.hpp>

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace ferry {

/// The requests that wait for their reply. Each ends exactly once: by its reply, its deadline, a failed send, a
/// cancellation or the end of the bus; and leaves nothing behind.
class reply_table final : public reply_sink {
public:
    /// For that many requests at most.
    reply_table(clock now, std::size_t most) : now_{now}, most_{most}, timers_{now} {}

    /// False when there are too many already, of which `on_reply` has heard then.
    [[nodiscard]] bool expect(const uuid& correlation_id, const std::string& message, duration timeout,
                              reply_callback on_reply);
    bool complete(const envelope& reply) override;
    void fail(const uuid& correlation_id, const std::exception_ptr& reason);
    void fail_all(const std::exception_ptr& reason);
    /// Returns when no deadline is being dealt with any more; there are none from now on.
    void stop() noexcept { timers_.stop(); }
    [[nodiscard]] std::size_t size() const;

private:
    struct waiting {
        reply_callback on_reply;
        timer_queue::timer deadline;
    };
    [[nodiscard]] bool add(const uuid& correlation_id, const std::string& message, duration timeout,
                           reply_callback& on_reply);
    [[nodiscard]] std::optional<reply_callback> take(const uuid& correlation_id);

    clock now_;
    std::size_t most_;
    mutable std::mutex mutex_;
    std::unordered_map<uuid, waiting> waiting_;
    timer_queue timers_; // last: its thread ends before the table does
};

} // namespace ferry

#pragma once

#include <ferry/envelope.hpp>
#include <ferry/features.hpp>
#include <ferry/message.hpp>
#include <ferry/transport.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace ferry {

struct message_route;

/// How much of the memory of messages that have left is kept for the next ones. More is for a burst or a giant, and
/// goes with it.
inline constexpr std::size_t most_kept_envelopes = 64;
inline constexpr std::size_t most_kept_body = 64 * 1024;

/// Envelopes in a row, reused together with their memory.
class envelope_list {
public:
    /// Takes the content of `message` and leaves it empty memory in exchange.
    void take(envelope& message);
    bool remove(const uuid& message_id);
    /// Forgets all but the first `count`.
    void keep_first(std::size_t count) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// How many there is memory for.
    [[nodiscard]] std::size_t capacity() const noexcept { return messages_.capacity(); }
    [[nodiscard]] std::span<envelope> all() noexcept { return {messages_.data(), size_}; }

private:
    std::vector<envelope> messages_; // the first `size_` are live
    std::size_t size_ = 0;
};

/// The messages a handler has published, sent, scheduled or replied with, until its success lets them leave.
class collected_messages {
public:
    /// Each takes the content of `message` and leaves it empty memory in exchange.
    void collect(envelope& message) { leaving_.take(message); }
    void schedule(envelope& message) { scheduled_.take(message); }
    /// Forgets a message that was scheduled here; false when there is none such.
    bool cancel(const uuid& message_id) { return scheduled_.remove(message_id); }
    void clear() noexcept { rewind({}); }

    /// A moment to come back to: `rewind` forgets what was collected since.
    struct moment {
        std::size_t leaving = 0;
        std::size_t scheduled = 0;
    };
    [[nodiscard]] moment mark() const noexcept { return {leaving_.size(), scheduled_.size()}; }
    void rewind(const moment& mark) noexcept {
        leaving_.keep_first(mark.leaving);
        scheduled_.keep_first(mark.scheduled);
    }

    /// Those that leave at once, and those that wait for their time.
    [[nodiscard]] std::span<envelope> all() noexcept { return leaving_.all(); }
    [[nodiscard]] std::span<envelope> scheduled() noexcept { return scheduled_.all(); }
    [[nodiscard]] std::size_t capacity() const noexcept { return leaving_.capacity() + scheduled_.capacity(); }

private:
    envelope_list leaving_;
    envelope_list scheduled_;
};

/// One message on its way out, as the dispatch pipeline sees it.
class dispatch_context {
public:
    dispatch_context() = default;
    dispatch_context(const dispatch_context&) = delete;
    dispatch_context& operator=(const dispatch_context&) = delete;
    ~dispatch_context() = default;

    /// Complete but for the body, which the serialization stage writes.
    ferry::envelope envelope;
    message_ref message;
    /// Where the message waits for its handler's success; nullptr when it leaves at once.
    collected_messages* collector = nullptr;
    /// It is collected for a transaction of its caller's own, whose end the bus does not see.
    bool for_callers_transaction = false;
    /// It waits for its time, which is in the envelope, where it can be cancelled.
    bool scheduled = false;
    /// It goes to the broker without the detour through an outbox.
    bool immediate = false;
    /// Told once what became of the message. A collected message takes nobody's callback.
    send_callback on_outcome;
    /// The dispatcher's memory of where this type goes; saves looking it up for each message.
    message_route* route = nullptr;

    [[nodiscard]] feature_set& features() noexcept { return features_; }
    void clear() noexcept;

private:
    feature_set features_;
};

} // namespace ferry

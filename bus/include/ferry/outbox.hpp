#pragma once

#include <ferry/dispatch_options.hpp>
#include <ferry/envelope.hpp>
#include <ferry/message.hpp>
#include <ferry/scheduler.hpp>
#include <ferry/store.hpp>
#include <ferry/time.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ferry {

class bus_core;

/// The outbox of a bus, for code that has a transaction of its own, and for people who look after it. Everything may be
/// called from any thread; `dead` and what follows it ask the database.
class outbox {
public:
    explicit outbox(bus_core& core) noexcept : core_{&core} {}

    /// Writes the message as a row in the caller's own transaction (a pqxx::work, a sqlite3): it leaves when that is
    /// committed, and not at all when it is rolled back.
    template <typename Transaction, typename Message>
    void publish(Transaction& transaction, const Message& message, const dispatch_options& options = {}) {
        write(native_transaction_of<Transaction>::of(transaction), message_kind::publish, message_ref{message},
              options);
    }
    template <typename Transaction, typename Message>
    void send(Transaction& transaction, const Message& message, const dispatch_options& options = {}) {
        write(native_transaction_of<Transaction>::of(transaction), message_kind::send, message_ref{message}, options);
    }
    template <typename Transaction, typename Message>
    schedule_token schedule_publish(Transaction& transaction, const Message& message, time_point at,
                                    const dispatch_options& options = {}) {
        return schedule(native_transaction_of<Transaction>::of(transaction), message_kind::publish,
                        message_ref{message}, at, options);
    }
    template <typename Transaction, typename Message>
    schedule_token schedule_send(Transaction& transaction, const Message& message, time_point at,
                                 const dispatch_options& options = {}) {
        return schedule(native_transaction_of<Transaction>::of(transaction), message_kind::send, message_ref{message},
                        at, options);
    }
    /// Takes a message off the schedule in the caller's own transaction: it is not sent when that is committed, and
    /// waits as before when it is rolled back. False when it was sent or cancelled already.
    template <typename Transaction> bool cancel(Transaction& transaction, const schedule_token& token) {
        return cancel_in(native_transaction_of<Transaction>::of(transaction), token);
    }
    /// Tells the relay that such a transaction was committed. Without this it looks by itself: more and more slowly
    /// after each row that was written, and at least once in every poll interval.
    void wake();

    /// What waits, what was given up, and since when.
    [[nodiscard]] store_counts counts();
    [[nodiscard]] std::vector<dead_message> dead(const dead_filter& which = {});
    /// Sends dead rows after all, with all their attempts before them: up to `which.most` of them, 1,000 if nothing is
    /// said. Returns how many there were.
    std::size_t replay(const dead_filter& which);
    bool replay(std::int64_t number) { return replay(dead_filter{.number = number}) > 0; }

private:
    void write(const native_transaction& where, message_kind kind, message_ref message,
               const dispatch_options& options);
    schedule_token schedule(const native_transaction& where, message_kind kind, message_ref message, time_point at,
                            const dispatch_options& options);
    bool cancel_in(const native_transaction& where, const schedule_token& token);

    bus_core* core_;
};

} // namespace ferry

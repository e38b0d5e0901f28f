#pragma once

#include "confirmations.hpp"
#include "context_pool.hpp"
#include "reply_table.hpp"
#include "routes.hpp"

#include <ferry/counters.hpp>
#include <ferry/detail/async_send.hpp>
#include <ferry/dispatcher.hpp>
#include <ferry/pipeline.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace ferry {

/// Turns messages into envelopes, takes them through the dispatch pipeline, and waits for the broker where its caller
/// wants to.
class bus_dispatcher final : public dispatcher {
public:
    bus_dispatcher(ferry::transport& carrier, route_table& routes, reply_table& replies, bus_counters& counters,
                   ferry::scheduler& schedule, clock now)
        : transport_{carrier},
          routes_{routes},
          replies_{replies},
          counters_{counters},
          scheduler_{schedule},
          now_{now} {}

    /// The pipeline needs this dispatcher's ports, so it comes after it.
    void use(pipeline<dispatch_context> stages) { stages_.emplace(std::move(stages)); }
    [[nodiscard]] const pipeline<dispatch_context>& stages() const noexcept { return *stages_; }

    /// What is published goes to an outbox unless its sender says otherwise, and the broker may be away meanwhile.
    void use_outbox() noexcept { has_outbox_ = true; }

    /// From here on what becomes a row of the outbox is let through: it needs no broker.
    void open_for_rows(address own_address);
    void open(address own_address);
    /// Lets nothing more through; returns when nobody is in the pipeline or in the transport's `send` any more.
    void close() noexcept;

    using envelope_sender::send_now;
    void send_now(std::span<const envelope> messages, observation* observed) override;
    void dispatch_and_wait(const outgoing_message& message, dispatch_context& context) override;
    void dispatch_and_wait(const outgoing_message& message) override;
    void request_and_wait(const outgoing_message& message, duration timeout,
                          std::move_only_function<void(const envelope&)> read) override;

    /// Makes sure that the exchange exists that a message from the outbox goes to. Its type may be another service's.
    void declare_for(const envelope& message);

    [[nodiscard]] time_point now() const override { return now_(); }
    [[nodiscard]] schedule_token next_token() override { return {next_id()}; }
    bool cancel(const schedule_token& token) override { return scheduler_.cancel(token); }

    /// Sends, and ends `sending` with nullptr when all went well. Never throws.
    void dispatch(const outgoing_message& message, const detail::async_send_ptr& sending);
    [[nodiscard]] uuid next_id() noexcept { return ids_.next(now_()); }
    /// Sends a request under the correlation id `id` and calls back once.
    void request(const outgoing_message& message, const uuid& id, duration timeout, reply_callback on_reply);

    /// Somebody on the way to the transport or the store, which must not stop meanwhile. Throws not_running when the
    /// bus is closed.
    class passage {
    public:
        passage(bus_dispatcher& through, bool for_row);
        passage(const passage&) = delete;
        passage& operator=(const passage&) = delete;
        ~passage() { through_.leave(); }

    private:
        bus_dispatcher& through_;
    };
    /// For whoever asks the store something, past the pipeline.
    [[nodiscard]] passage to_the_store() { return passage{*this, true}; }

private:
    enum class gate : unsigned char { closed, open_for_rows, open };
    void leave() noexcept;
    [[nodiscard]] bool becomes_row(const outgoing_message& message) const noexcept;
    void dispatch(const outgoing_message& message, dispatch_context& context, const detail::async_send_ptr& sending);
    void answered(detail::async_send& sending, const send_outcome& outcome);
    /// Everything in the envelope but the body.
    void prepare(const outgoing_message& message, dispatch_context& context);
    [[nodiscard]] const message_route& route_of(const outgoing_message& message, dispatch_context& context);
    void declare(message_route& route);
    [[nodiscard]] shared_attempt& attempt_to_declare(const std::string& exchange);
    /// Waits for the broker's answers; throws `thrown` if there is one, else the first failure.
    void settle(confirmations& answers, const std::exception_ptr& thrown);

    ferry::transport& transport_;
    route_table& routes_;
    reply_table& replies_;
    bus_counters& counters_;
    ferry::scheduler& scheduler_;
    clock now_;
    id_source ids_;
    context_pool contexts_;
    std::optional<pipeline<dispatch_context>> stages_;
    address own_address_;
    bool has_outbox_ = false;
    std::mutex declared_mutex_;
    std::map<std::string, shared_attempt, std::less<>> declared_; // exchanges of messages from the outbox
    std::atomic<gate> gate_{gate::closed};
    std::atomic<std::size_t> passing_{0};
};

} // namespace ferry

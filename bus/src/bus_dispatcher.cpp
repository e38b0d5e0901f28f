#include "bus_dispatcher.hpp"

#include "confirmations.hpp"

#include <ferry/bus.hpp>
#include <ferry/header_names.hpp>
#include <ferry/observer.hpp>

#include <algorithm>
#include <semaphore>

namespace ferry {

namespace {

void end_by(time_point end, envelope& out) { out.deliver_by = std::min(out.deliver_by.value_or(end), end); }

void set_deadline(const dispatch_options& options, time_point now, envelope& out) {
    if (options.deliver_by) {
        end_by(*options.deliver_by, out);
    }
    if (options.expires_after) { // its time begins when it leaves
        end_by(later(std::max(now, out.scheduled_at.value_or(now)), *options.expires_after), out);
    }
}

void set_types(const message_type& type, envelope& out) {
    out.message_type.assign(type.urn);
    for (const message_type* base : type.encloses) {
        out.enclosed_types.push_back(base->urn);
    }
}

void set_destination(const outgoing_message& message, const message_route& route, envelope& out) {
    if (message.options.destination) {
        out.destination = *message.options.destination;
    } else if (message.kind == message_kind::reply) {
        out.destination = message.cause->response;
    } else {
        out.destination = message.kind == message_kind::publish ? route.published_to : route.sent_to;
    }
    if (out.destination.empty()) {
        throw error{out.message_type + " has no destination; give it a route<...>(), a destination of its own, or the "
                                       "bus a default_route()"};
    }
}

// A queue is found by its name alone; only exchanges look at a key.
void set_routing_key(const outgoing_message& message, const message_route& route, envelope& out) {
    if (out.destination.kind != address::kind_type::exchange) {
        return;
    }
    out.routing_key = message.options.routing_key;
    if (out.routing_key.empty() && route.routing_key) {
        route.routing_key(message.message.object, out.routing_key);
    }
}

// Whoever waits for the reply may know the id in another form. A request that names none is answered by its own id.
void correlate(const envelope& request, envelope& reply) {
    reply.correlation_id = request.correlation_id;
    std::string_view foreign = request.headers.text(header_names::foreign_correlation_id);
    if (foreign.empty() && request.correlation_id == request.message_id) {
        foreign = request.headers.text(header_names::foreign_message_id);
    }
    if (!foreign.empty()) {
        reply.headers.set(header_names::foreign_correlation_id, foreign);
    }
}

// A reply belongs to its request; anything else a handler sends begins something of its own in the same conversation.
void continue_conversation(const outgoing_message& message, envelope& out) {
    const envelope& cause = *message.cause;
    out.conversation_id = cause.conversation_id.is_nil() ? cause.message_id : cause.conversation_id;
    out.causation_id = cause.message_id;
    if (message.kind == message_kind::reply) {
        correlate(cause, out);
    }
    if (out.tenant.empty()) {
        out.tenant = cause.tenant;
    }
}

/// Where a request waits for its reply.
class reply_waiter {
public:
    explicit reply_waiter(std::move_only_function<void(const envelope&)> read) : read_{std::move(read)} {}

    void answer(std::exception_ptr failure, const envelope* reply) {
        failure_ = std::move(failure);
        if (reply != nullptr) {
            try {
                read_(*reply);
            } catch (...) {
                failure_ = std::current_exception();
            }
        }
        answered_.release();
    }
    void wait() {
        answered_.acquire();
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

private:
    std::move_only_function<void(const envelope&)> read_;
    std::exception_ptr failure_;
    std::binary_semaphore answered_{0};
};

} // namespace

void bus_dispatcher::open_for_rows(address own_address) {
    own_address_ = std::move(own_address);
    gate_ = gate::open_for_rows;
}

void bus_dispatcher::open(address own_address) {
    if (gate_ == gate::closed) { // or somebody may be reading it
        own_address_ = std::move(own_address);
    }
    gate_ = gate::open;
}

void bus_dispatcher::close() noexcept {
    gate_ = gate::closed;
    for (std::size_t inside = passing_; inside != 0; inside = passing_) {
        passing_.wait(inside);
    }
}

bus_dispatcher::passage::passage(bus_dispatcher& through, bool for_row) : through_{through} {
    ++through_.passing_; // before the look, so that whoever closes sees it or it sees that the bus is closed
    if (through_.gate_ < (for_row ? gate::open_for_rows : gate::open)) {
        through_.leave();
        throw not_running{"the bus is not running: call start() before sending, and stop sending before stop()"};
    }
}

void bus_dispatcher::leave() noexcept {
    if (--passing_ == 0 && gate_ == gate::closed) {
        passing_.notify_all();
    }
}

bool bus_dispatcher::becomes_row(const outgoing_message& message) const noexcept {
    return has_outbox_ && !message.options.immediate && message.kind != message_kind::request;
}

void bus_dispatcher::send_now(std::span<const envelope> messages, observation* observed) {
    // A handler has not failed because its caller is gone.
    confirmations answers{lost_reply::is_dropped, observed};
    std::exception_ptr refused;
    std::size_t sent = 0;
    try {
        const passage through{*this, false};
        for (; sent < messages.size(); ++sent) {
            transport_.send(messages[sent], answers.expect(messages[sent]));
        }
    } catch (...) {
        refused = std::current_exception();
        if (observed != nullptr && sent < messages.size()) {
            observed->left(messages[sent], refused);
        }
    }
    settle(answers, refused);
}

void bus_dispatcher::dispatch_and_wait(const outgoing_message& message, dispatch_context& context) {
    confirmations answers;
    std::exception_ptr thrown;
    try {
        const passage through{*this, becomes_row(message)};
        prepare(message, context);
        context.on_outcome = answers.expect(context.envelope);
        (*stages_)(context);
    } catch (...) {
        thrown = std::current_exception();
    }
    context.on_outcome = nullptr; // nobody took it: the message was collected, or a stage ended it
    settle(answers, thrown);
}

void bus_dispatcher::dispatch_and_wait(const outgoing_message& message) {
    const context_pool::lease context = contexts_.take();
    dispatch_and_wait(message, *context);
}

void bus_dispatcher::dispatch(const outgoing_message& message, const detail::async_send_ptr& sending) {
    const context_pool::lease context = contexts_.take();
    dispatch(message, *context, sending);
}

void bus_dispatcher::dispatch(const outgoing_message& message, dispatch_context& context,
                              const detail::async_send_ptr& sending) {
    try {
        const passage through{*this, becomes_row(message)};
        prepare(message, context);
        const message_route& route = *context.route;
        sending->is_about(context.envelope, *route.type,
                          message.kind == message_kind::publish ? route.published_to : route.sent_to);
        context.on_outcome = [this, sending](const send_outcome& outcome) { answered(*sending, outcome); };
        (*stages_)(context);
        if (context.on_outcome) {
            sending->end(nullptr); // a stage ended the message; no broker will answer
        }
    } catch (...) {
        sending->end(std::current_exception());
    }
}

void bus_dispatcher::answered(detail::async_send& sending, const send_outcome& outcome) {
    const std::exception_ptr failure = failure_of(outcome, sending.kind(), sending.type().urn, sending.destination());
    if (outcome.status == send_status::unroutable && !failure) {
        ++counters_.unrouted_events;
    }
    sending.end(failure);
}

void bus_dispatcher::request(const outgoing_message& message, const uuid& id, duration timeout,
                             reply_callback on_reply) {
    const context_pool::lease context = contexts_.take();
    context->envelope.correlation_id = id;
    context->envelope.deliver_by = later(now_(), timeout); // nobody would hear the answer
    if (!replies_.expect(id, message.message.type->urn, timeout, std::move(on_reply))) {
        return;
    }
    dispatch(message, *context,
             detail::async_send_ptr{new detail::called_send{[this, id](const std::exception_ptr& failure) {
                 if (failure) {
                     replies_.fail(id, failure);
                 }
             }}});
}

void bus_dispatcher::request_and_wait(const outgoing_message& message, duration timeout,
                                      std::move_only_function<void(const envelope&)> read) {
    reply_waiter waiter{std::move(read)};
    request(message, next_id(), timeout,
            [&](std::exception_ptr failure, const envelope* reply) { waiter.answer(std::move(failure), reply); });
    waiter.wait();
}

void bus_dispatcher::prepare(const outgoing_message& message, dispatch_context& context) {
    const message_route& route = route_of(message, context);
    const time_point now = id_source::told(now_()); // so that the message id says when it was sent
    envelope& out = context.envelope;
    context.message = message.message;
    out.kind = message.kind;
    out.message_id = message.token != nullptr ? message.token->id : ids_.next(now);
    out.sent_at = now;
    out.scheduled_at = message.token != nullptr ? message.at : message.options.deliver_at;
    context.scheduled = message.token != nullptr;
    context.immediate = message.options.immediate;
    out.headers = message.options.headers;
    out.partition_key = message.options.partition_key;
    out.tenant = message.options.tenant;
    out.source = message.source != nullptr ? *message.source : own_address_;
    set_types(*message.message.type, out);
    set_destination(message, route, out);
    set_routing_key(message, route, out);
    set_deadline(message.options, now, out);
    if (message.kind == message_kind::request) {
        out.response = own_address_;
    }
    if (message.cause != nullptr) {
        continue_conversation(message, out);
    } else {
        out.conversation_id = out.message_id;
    }
    if (out.correlation_id.is_nil()) {
        out.correlation_id = out.message_id;
    }
}

const message_route& bus_dispatcher::route_of(const outgoing_message& message, dispatch_context& context) {
    if (context.route == nullptr || context.route->type != message.message.type) {
        context.route = &routes_.find(*message.message.type);
    }
    if (message.kind == message_kind::publish && !becomes_row(message)) {
        declare(*context.route);
    }
    return *context.route;
}

void bus_dispatcher::declare(message_route& route) {
    route.declared.make_sure([&] {
        topology wanted;
        routes_.add_exchanges(*route.type, wanted);
        transport_.declare(wanted);
    });
}

void bus_dispatcher::declare_for(const envelope& message) {
    if (message.destination.kind != address::kind_type::exchange) {
        return;
    }
    attempt_to_declare(message.destination.name).make_sure([&] {
        topology wanted;
        if (const message_type* const known = routes_.published_to(message.destination.name)) {
            routes_.add_exchanges(*known, wanted);
        } else {
            wanted.exchanges.push_back({message.destination.name});
        }
        transport_.declare(wanted);
    });
}

shared_attempt& bus_dispatcher::attempt_to_declare(const std::string& exchange) {
    const std::scoped_lock lock{declared_mutex_};
    return declared_[exchange];
}

void bus_dispatcher::settle(confirmations& answers, const std::exception_ptr& thrown) {
    std::exception_ptr failure = thrown;
    try {
        answers.wait();
    } catch (...) {
        failure = failure ? failure : std::current_exception();
    }
    if (const std::size_t unrouted = answers.unrouted(); unrouted > 0) {
        counters_.unrouted_events += unrouted;
    }
    if (const std::size_t late = answers.late_replies(); late > 0) {
        counters_.late_replies += late;
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace ferry

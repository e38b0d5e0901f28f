#include "declaration.hpp"

#include <ferry/transport.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

namespace ferry::amqp {

namespace {

// How long the broker keeps the reply queue of a service that is gone, or cannot be reached for a while.
constexpr std::int32_t temporary_queue_expires = 10 * 60 * 1000;

bool is_permanent(std::string_view answer) {
    return answer.contains("PRECONDITION_FAILED") || answer.contains("ACCESS_REFUSED") ||
           answer.contains("NOT_FOUND") || answer.contains("NOT_ALLOWED");
}

std::string advice(std::string_view answer) {
    return answer.contains("PRECONDITION_FAILED")
               ? "; it exists with other properties: delete it, or configure ferry the way it is"
           : answer.contains("NOT_FOUND") ? "; it is not there, and has to be created first"
                                          : "";
}

} // namespace

AMQP::Table queue_arguments(const queue_definition& queue, const transport_options& options) {
    AMQP::Table arguments;
    if (queue.temporary) {
        arguments.set("x-expires", temporary_queue_expires);
        return arguments;
    }
    const bool quorum = options.queues == queue_type::quorum;
    arguments.set("x-queue-type", quorum ? "quorum" : "classic");
    if (quorum) { // where there are no dead letters, the broker would throw away what reaches a limit
        const int limit = queue.dead_letters.empty() ? -1 : options.delivery_limit.value_or(-1);
        arguments.set("x-delivery-limit", static_cast<std::int32_t>(limit));
    }
    if (!queue.dead_letters.empty()) {
        arguments.set("x-dead-letter-exchange", "");
        arguments.set("x-dead-letter-routing-key", queue.dead_letters);
        if (quorum) { // or a dead letter is lost when the broker stops at the wrong moment
            arguments.set("x-dead-letter-strategy", "at-least-once");
            arguments.set("x-overflow", "reject-publish");
        }
    }
    return arguments;
}

declaration::declaration(connection& where, duration limit, callback done)
    : channel_{&where.protocol()}, deadline_{where.io(), limit}, done_{std::move(done)} {}

void declaration::queue(const std::string& name, int flags, const AMQP::Table& arguments) {
    watch(channel_.declareQueue(name, flags, arguments), "queue " + name);
}

void declaration::exchange(const std::string& name, AMQP::ExchangeType type, int flags, const AMQP::Table& arguments) {
    watch(channel_.declareExchange(name, type, flags, arguments), "exchange " + name);
}

void declaration::bind(const std::string& exchange, const address& target, const std::string& key) {
    const std::string what = "binding from exchange " + exchange + " to " + target.to_string();
    if (target.kind == address::kind_type::queue) {
        watch(channel_.bindQueue(exchange, target.name, key), what);
    } else {
        watch(channel_.bindExchange(exchange, target.name, key), what);
    }
}

void declaration::remove_queue(const std::string& name) { watch(channel_.removeQueue(name), "queue " + name); }

void declaration::topology(const ferry::topology& wanted, const transport_options& options) {
    for (const queue_definition& each : wanted.queues) {
        const bool create = options.provision.queues || each.temporary;
        queue(each.name, create ? AMQP::durable : AMQP::passive, queue_arguments(each, options));
    }
    for (const exchange_definition& each : wanted.exchanges) {
        exchange(each.name, AMQP::fanout, options.provision.exchanges ? AMQP::durable : AMQP::passive);
    }
    if (options.provision.bindings) {
        for (const binding_definition& each : wanted.bindings) {
            bind(each.exchange, each.target, "");
        }
    }
}

void declaration::complete() {
    deadline_.async_wait([self = weak_from_this()](const boost::system::error_code& cancelled) {
        if (const auto still_there = self.lock(); still_there && !cancelled) {
            still_there->end(std::make_exception_ptr(transport_error{"the broker did not answer in time"}));
        }
    });
    channel_.setQos(1).onSuccess([self = weak_from_this()] { // answered after all that was asked before
        if (const auto still_there = self.lock()) {
            still_there->end(nullptr);
        }
    });
    channel_.onError([self = weak_from_this()](const char* answer) {
        if (const auto still_there = self.lock()) {
            still_there->end(std::make_exception_ptr(transport_error{answer, !is_permanent(answer)}));
        }
    });
}

void declaration::watch(AMQP::Deferred& asked, std::string what) {
    asked.onError([self = weak_from_this(), what = std::move(what)](const char* answer) {
        if (const auto still_there = self.lock()) {
            still_there->end(std::make_exception_ptr(transport_error{
                "the broker refuses the " + what + ": " + answer + advice(answer), !is_permanent(answer)}));
        }
    });
}

void declaration::end(const std::exception_ptr& failure) {
    deadline_.cancel();
    if (const callback done = std::exchange(done_, nullptr)) {
        done(failure);
    }
}

} // namespace ferry::amqp

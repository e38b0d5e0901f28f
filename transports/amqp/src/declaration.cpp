#include "declaration.hpp"

#include "refusal.hpp"

#include <ferry/transport.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ferry::amqp {

namespace {

std::string listed(const std::vector<std::string>& refused) {
    if (refused.size() == 1) {
        return "the broker refuses the " + refused.front();
    }
    std::string text = "the broker refuses " + std::to_string(refused.size()) + " things:";
    for (const std::string& each : refused) {
        text += "\n  - the " + each;
    }
    return text;
}

std::string name_of(const address& place) {
    return (place.kind == address::kind_type::queue ? "queue " : "exchange ") + place.name;
}

AMQP::Table table_of(const arguments& all) {
    AMQP::Table table;
    for (const header& each : all) {
        if (const auto* number = each.value.as<std::int64_t>()) {
            table.set(each.name, *number);
        } else if (const auto* truth = each.value.as<bool>()) {
            table.set(each.name, *truth);
        } else if (const auto* text = each.value.as<std::string>()) {
            table.set(each.name, *text);
        }
    }
    return table;
}

AMQP::ExchangeType protocol_type(exchange_type type) {
    switch (type) {
    case exchange_type::fanout:
        return AMQP::fanout;
    case exchange_type::direct:
        return AMQP::direct;
    case exchange_type::topic:
        return AMQP::topic;
    case exchange_type::headers:
        return AMQP::headers;
    }
    std::unreachable();
}

AMQP::Deferred& bind(AMQP::Channel& channel, const planned_binding& way) {
    const AMQP::Table arguments = table_of(way.arguments);
    return way.target.kind == address::kind_type::queue
               ? channel.bindQueue(way.exchange, way.target.name, way.routing_key, arguments)
               : channel.bindExchange(way.exchange, way.target.name, way.routing_key, arguments);
}

} // namespace

declaration::declaration(connection& where, duration limit, callback done)
    : connection_{where}, deadline_{where.io(), limit}, done_{std::move(done)} {}

void declaration::require_queue(const std::string& name) {
    steps_.push_back({"queue " + name, [name](AMQP::Channel& channel) -> AMQP::Deferred& {
                          return channel.declareQueue(name, AMQP::passive);
                      }});
}

void declaration::remove_queue(const std::string& name) {
    steps_.push_back(
        {"queue " + name, [name](AMQP::Channel& channel) -> AMQP::Deferred& { return channel.removeQueue(name); }});
}

void declaration::topology(const ferry::topology& wanted, const transport_options& options) {
    plan(plan_for(wanted, options));
}

void declaration::plan(const broker_plan& wanted) {
    for (const planned_queue& each : wanted.queues) {
        steps_.push_back({"queue " + each.name, [each](AMQP::Channel& channel) -> AMQP::Deferred& {
                              return channel.declareQueue(each.name, each.create ? AMQP::durable : AMQP::passive,
                                                          table_of(each.arguments));
                          }});
    }
    for (const planned_exchange& each : wanted.exchanges) {
        steps_.push_back({"exchange " + each.name, [each](AMQP::Channel& channel) -> AMQP::Deferred& {
                              return channel.declareExchange(each.name, protocol_type(each.type),
                                                             each.create ? AMQP::durable : AMQP::passive,
                                                             table_of(each.arguments));
                          }});
    }
    for (const planned_binding& each : wanted.bindings) {
        bind(each);
    }
}

void declaration::bind(const planned_binding& way) {
    if (way.create) {
        steps_.push_back({"binding from exchange " + way.exchange + " to " + way.target.to_string(),
                          [way](AMQP::Channel& channel) -> AMQP::Deferred& { return amqp::bind(channel, way); },
                          {"exchange " + way.exchange, name_of(way.target)}});
    }
}

void declaration::complete() {
    deadline_.async_wait([self = weak_from_this()](const boost::system::error_code& cancelled) {
        if (const auto still_there = self.lock(); still_there && !cancelled) {
            still_there->end(std::make_exception_ptr(transport_error{"the broker did not answer in time"}));
        }
    });
    ask_from(0);
}

void declaration::ask_from(std::size_t first) {
    const int round = ++round_;
    channel_ = std::make_unique<AMQP::Channel>(&connection_.protocol());
    for (std::size_t number = first; number < steps_.size(); ++number) {
        if (std::ranges::find_first_of(steps_[number].ends, refused_names_) == steps_[number].ends.end()) {
            watch(steps_[number].ask(*channel_), round, number);
        }
    }
    channel_->setQos(1).onSuccess([self = weak_from_this()] { // answered after all that was asked before
        if (const auto still_there = self.lock()) {
            still_there->answered();
        }
    });
    channel_->onError([self = weak_from_this(), round](const char* answer) {
        if (const auto still_there = self.lock()) {
            still_there->failed(round, answer);
        }
    });
}

void declaration::watch(AMQP::Deferred& asked, int round, std::size_t number) {
    asked.onError([self = weak_from_this(), round, number](const char* answer) {
        if (const auto still_there = self.lock()) {
            still_there->refused(round, number, answer);
        }
    });
}

void declaration::answered() {
    end(refused_.empty() ? nullptr : std::make_exception_ptr(refusal{listed(refused_), !permanent_}));
}

// The first answer of a round says what was wrong; the others only follow from it.
void declaration::refused(int round, std::size_t number, std::string_view answer) {
    if (round != round_) {
        return;
    }
    std::string told = steps_[number].what + ": " + std::string{answer} + advice(answer);
    if (!is_refusal(answer)) {
        return end(std::make_exception_ptr(transport_error{"the broker refuses the " + told, !is_permanent(answer)}));
    }
    refused_.push_back(std::move(told));
    refused_names_.push_back(steps_[number].what);
    permanent_ = permanent_ || is_permanent(answer);
    ++round_;
    boost::asio::post(connection_.io(), [self = weak_from_this(), number] { // not while its channel is being closed
        if (const auto still_there = self.lock(); still_there && still_there->done_) {
            still_there->ask_from(number + 1);
        }
    });
}

void declaration::failed(int round, std::string_view answer) {
    if (round == round_) {
        end(std::make_exception_ptr(transport_error{std::string{answer}, !is_permanent(answer)}));
    }
}

void declaration::end(const std::exception_ptr& failure) {
    deadline_.cancel();
    if (const callback done = std::exchange(done_, nullptr)) {
        done(failure);
    }
}

} // namespace ferry::amqp

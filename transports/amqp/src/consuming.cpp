#include "consuming.hpp"

#include "broker_plan.hpp"
#include "refusal.hpp"

#include <ferry/delay_schedule.hpp>
#include <ferry/exception_summary.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace ferry::amqp {

consuming::consuming(boost::asio::io_context& io, const connection_settings& settings, topology_book& book,
                     publisher& out, clock now, const log_function& log)
    : io_{io},
      settings_{settings},
      book_{book},
      out_{out},
      now_{now},
      log_{log},
      link_{io, settings.for_purpose("consuming"), *this, log} {}

consuming::~consuming() = default;

consumer_ptr consuming::add(const std::string& queue, const consume_options& options, delivery_sink& sink,
                            std::function<void(std::exception_ptr)> begun) {
    const consumer_ptr fresh{new consumer{io_, *this, source_of(queue), options, sink}};
    needed_ = true;
    fresh->when_begun(std::move(begun));
    boost::asio::post(io_, [this, fresh] { take_in(fresh); });
    return fresh;
}

consumer::source consuming::source_of(const std::string& queue) const {
    const queue_definition known = book_.find(queue).value_or(queue_definition{.name = queue});
    return {.queue = queue,
            .dead_letters = known.dead_letters,
            .takes_rejected = has_dead_letters(known, settings_.options),
            .takes_turns = has_one_consumer(queue, settings_.options),
            .guard = poison_guard{limit_to_count(known, settings_.options)}};
}

void consuming::send(const envelope& message, const std::string& queue, send_callback on_outcome) {
    if (out_.is_blocked() || !out_.way().is_up()) {
        return on_outcome({.status = send_status::failed, .error = {}});
    }
    const auto told = std::make_shared<send_callback>(std::move(on_outcome)); // also when it is not sent at all
    try {
        out_.send_to_queue(queue, message, [told](send_outcome outcome) { (*told)(std::move(outcome)); });
    } catch (const error&) {
        (*told)({.status = send_status::failed, .error = std::current_exception()});
    }
}

void consuming::take_in(const consumer_ptr& fresh) {
    if (stopping_) {
        return fresh->close();
    }
    consumers_.push_back(fresh);
    if (!std::exchange(started_, true)) {
        link_.start();
        watch_later();
    } else if (link_.is_up()) {
        fresh->open(*connection_);
    }
}

void consuming::connected(connection& fresh) {
    connection_ = &fresh;
    declare_and_open();
}

void consuming::declare_and_open() {
    declare([this](const std::exception_ptr& failure) {
        if (failure && !is_refusal(failure)) {
            return link_.fail(summary_of(failure).text);
        }
        if (failure) {
            tell_what_is_missing(failure);
        }
        if (!link_.is_up()) {
            link_.established();
        }
        out_.refresh_delays();
        open_all();
    });
}

// What is there still works, so the connection stays.
void consuming::tell_what_is_missing(const std::exception_ptr& failure) {
    link_.complain("something is missing at the broker and cannot be put back: " + summary_of(failure).text);
}

void consuming::declare(std::function<void(std::exception_ptr)> then) {
    declaring_ = std::make_shared<declaration>(*connection_, settings_.options.operation_timeout,
                                               [this, then = std::move(then)](const std::exception_ptr& failure) {
                                                   declaring_.reset();
                                                   then(failure);
                                               });
    declaring_->topology(book_.all(), settings_.options);
    declaring_->complete();
}

void consuming::open_all() {
    for (const consumer_ptr& each : std::vector{consumers_}) {
        if (!each->is_open()) {
            each->open(*connection_);
        }
    }
}

void consuming::disconnected(const std::string&) {
    connection_ = nullptr;
    declaring_.reset();
    stop_asking();
    repair_.cancel();
    repairing_ = false;
    for (const consumer_ptr& each : std::vector{consumers_}) {
        each->lost();
    }
}

std::chrono::microseconds consuming::read_done() {
    const auto now = std::chrono::steady_clock::now();
    read_pace pace;
    round_ = consumers_;
    for (const consumer_ptr& each : round_) {
        each->read_done(now, pace);
    }
    round_.clear();
    return pace.pause();
}

void consuming::needs_repair(consumer& which, const std::string& reason) {
    link_.complain(which.queue() + " is consumed no more: " + reason + "; declaring and consuming again");
    ailing_ = true;
    repair_later();
}

void consuming::is_well(consumer&) { ailing_ = std::ranges::any_of(consumers_, &consumer::is_ailing); }

// Whatever closed the channel may do so again at once, so each repair in a row waits longer than the one before.
void consuming::repair_later() {
    if (connection_ == nullptr || std::exchange(repairing_, true)) {
        return;
    }
    repair_.expires_after(settings_.options.reconnect.delay(repairs_++) / 4);
    repair_.async_wait([this](const boost::system::error_code& cancelled) {
        if (cancelled) {
            return;
        }
        repairing_ = false;
        if (connection_ != nullptr && !declaring_ && !stopping_) { // one that is under way opens them all as well
            declare_and_open();
        }
    });
}

void consuming::has_ended(consumer& which) {
    std::erase_if(consumers_, [&](const consumer_ptr& each) { return each.get() == &which; });
    is_well(which);
}

std::string consuming::type_of(const std::string& routing_key, const std::string& queue) const {
    const auto& types = settings_.options.types_by_routing_key;
    if (const auto found = types.find(routing_key); found != types.end()) {
        return found->second;
    }
    const auto found = types.find(queue);
    return found == types.end() ? std::string{} : found->second;
}

void consuming::watch_later() {
    if (settings_.options.watchdog_interval <= duration::zero()) {
        return;
    }
    watchdog_.expires_after(settings_.options.watchdog_interval);
    watchdog_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled && !stopping_) {
            watch();
            watch_later();
        }
    });
}

// Puts back what somebody has taken away without telling us, bindings above all, and then looks after the consumers.
void consuming::watch() {
    if (!link_.is_up() || declaring_ || repairing_) {
        return;
    }
    repairs_ = 0; // it has worked since the last look
    declare([this](const std::exception_ptr& failure) {
        if (failure) {
            tell_what_is_missing(failure);
        }
        out_.refresh_delays();
        open_all();
        ask_for_consumers();
    });
}

// The broker's word for it: a queue we consume has a consumer, and what waits in it comes.
void consuming::ask_for_consumers() {
    stop_asking();
    to_ask_for_ = consumers_;
    open_asking();
    ask_next();
}

void consuming::open_asking() {
    asking_ = std::make_unique<AMQP::Channel>(&connection_->protocol());
    asking_->onError([this, round = asking_round_](const char* reason) {
        if (is_refusal(reason)) { // a connection that ends is told otherwise
            boost::asio::post(io_, [this, round, answer = std::string{reason}] { // not from inside the channel
                if (round == asking_round_) {
                    cannot_ask(answer);
                }
            });
        }
    });
}

void consuming::ask_next() {
    asked_for_.reset();
    while (!asked_for_ && !to_ask_for_.empty()) {
        asked_for_ = std::move(to_ask_for_.back());
        to_ask_for_.pop_back();
        if (!asked_for_->is_consuming()) {
            asked_for_.reset();
        }
    }
    if (!asked_for_) {
        return;
    }
    asking_->declareQueue(asked_for_->queue(), AMQP::passive)
        .onSuccess([this, round = asking_round_](const std::string&, std::uint32_t waiting, std::uint32_t count) {
            if (round != asking_round_) {
                return;
            }
            const consumer_ptr each = asked_for_;
            if (count == 0 && each->is_consuming()) {
                each->broken("the broker knows of no consumer");
            } else if (each->is_consuming() && each->is_starved(waiting)) {
                each->broken("messages wait there, and none has come since the last look");
            }
            ask_next();
        });
}

// The queue is gone, and its consumer has not been told. The others are asked for on another channel.
void consuming::cannot_ask(const std::string& answer) {
    const consumer_ptr missing = std::exchange(asked_for_, nullptr);
    asking_.reset();
    ++asking_round_;
    if (missing && missing->is_consuming()) {
        missing->broken(answer);
    }
    open_asking();
    ask_next();
}

void consuming::stop_asking() noexcept {
    ++asking_round_;
    asking_.reset();
    asked_for_.reset();
    to_ask_for_.clear();
}

void consuming::stop(std::function<void()> stopped) {
    boost::asio::post(io_, [this, stopped = std::move(stopped)] {
        stopping_ = true;
        repair_.cancel();
        watchdog_.cancel();
        for (const consumer_ptr& each : std::exchange(consumers_, {})) {
            each->flush();
            each->close();
        }
        declaring_.reset();
        stop_asking();
        if (started_) {
            link_.stop(stopped);
        } else {
            stopped();
        }
    });
}

} // namespace ferry::amqp

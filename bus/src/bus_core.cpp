#include "bus_core.hpp"

#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace ferry {

namespace {

// Whoever signals twice does not want to wait. What was not settled goes back to its queue when the connection drops.
void end_process(const boost::system::error_code& failure, int signal) {
    if (!failure) {
        std::_Exit(128 + signal);
    }
}

} // namespace

bus_core::bus_core(bus_registration& registration, std::string reply_queue)
    : service_{registration.service},
      reply_queue_{std::move(reply_queue)},
      now_{registration.now},
      log_{observed(registration.log)},
      traces_{registration.traces},
      observers_{std::move(registration.observers), log_},
      stop_timeout_{registration.stop_timeout},
      transport_{std::move(registration.transport)},
      routes_{{.destinations = std::move(registration.routes),
               .otherwise = std::move(registration.default_route),
               .routing_keys = std::move(registration.routing_keys)},
              registration.naming},
      replies_{std::make_shared<reply_table>(now_, registration.max_pending_requests)},
      persistence_{with_store(registration)},
      timed_{*transport_, timers_, now_, log_, watching()},
      scheduler_{persistence_ ? persistence_->schedule() : timed_},
      dispatcher_{*transport_, routes_, *replies_, counters_, scheduler_, now_} {}

// Lines that are logged while a message is handled lead to its trace; those about one that the relay or a timer sends,
// to where it was published.
log_function bus_core::observed(log_function write) {
    return [this, write = std::move(write)](const log_line& line) {
        if (observers_.empty()) {
            return write(line);
        }
        log_line placed = line;
        placed.trace = observers_.position();
        if (placed.trace.trace_id.empty() && line.about.message != nullptr) {
            placed.trace = observers_.origin(*line.about.message);
        }
        write(placed);
        observers_.logged(placed);
    };
}

std::unique_ptr<bus_persistence> bus_core::with_store(bus_registration& registration) {
    if (registration.store == nullptr) {
        return nullptr;
    }
    outbox_carrier carrier{.transport = *transport_,
                           .declare = [this](const envelope& message) { dispatcher_.declare_for(message); },
                           .counters = counters_,
                           .watching = watching()};
    return std::make_unique<bus_persistence>(std::move(registration.store), std::move(registration.persistence),
                                             std::move(carrier), now_, log_);
}

bus_core::~bus_core() {
    stop();
    receivers_.clear();
    reply_receiver_.reset();
    if (persistence_) {
        persistence_->stop(); // at last no handler has a transaction
    }
    replies_->stop();
    completions_.join();
}

void bus_core::complete(std::unique_ptr<receiver> replies, std::vector<std::unique_ptr<receiver>> endpoints,
                        topology wanted) {
    reply_receiver_ = std::move(replies);
    receivers_ = std::move(endpoints);
    topology_ = std::move(wanted);
}

void bus_core::start() {
    if (!start_unless_stopped()) {
        throw not_running{"the bus was stopped before it had started"};
    }
}

bool bus_core::start_unless_stopped() {
    const std::scoped_lock lock{mutex_};
    if (state_ != state::built) {
        throw error{"a bus is started once: this one is running or has been stopped; build another"};
    }
    state_ = state::running;
    observers_.started(*this);
    try {
        start_parts();
    } catch (...) {
        stop_parts();
        if (!starting_.stop_requested()) {
            throw;
        }
        return false;
    }
    if (!begin_running()) {
        stop_parts();
        return false;
    }
    log_(log_level::info, service_ + ": started on " + std::string{transport_->name()});
    return true;
}

void bus_core::start_parts() {
    io_thread_ = std::jthread{[this] { io_.run(); }}; // first: it hears the signals, also while a database is slow
    if (persistence_) {
        persistence_->start(slots());
        persistence_->start_relay();                             // it counts while the broker is away
        dispatcher_.open_for_rows(address::queue(reply_queue_)); // the broker may be away for long
    }
    transport_->start({.io = io_, .now = now_, .log = log_, .give_up = starting_.get_token()});
    transport_->declare(topology_);
    dispatcher_.open(address::queue(reply_queue_));
    reply_receiver_->start(*transport_);
    if (persistence_) {
        persistence_->relay().may_send(); // now there is where it goes
    }
    for (const auto& each : receivers_) {
        each->start(*transport_);
    }
}

// From here on a stop is polite: handlers that finish may still declare what they send.
bool bus_core::begin_running() noexcept {
    const std::scoped_lock lock{starting_mutex_};
    running_ = started_ = !starting_.stop_requested();
    return started_;
}

void bus_core::give_up_starting() noexcept {
    const std::scoped_lock lock{starting_mutex_};
    if (!started_) {
        starting_.request_stop();
    }
}

stop_report bus_core::run() {
    boost::asio::signal_set wanted{io_, SIGINT, SIGTERM};
    wanted.async_wait([&](const boost::system::error_code& failure, int) {
        if (!failure) {
            wanted.async_wait(end_process);
            give_up_starting();
            want_stop();
        }
    });
    if (start_unless_stopped()) {
        stop_wanted_.wait(false);
        log_(log_level::info, service_ + ": stopping; a second signal ends the process at once");
    }
    return stop();
}

stop_report bus_core::stop() {
    give_up_starting();
    const std::scoped_lock lock{mutex_};
    if (state_ == state::running) {
        stop_parts();
    }
    state_ = state::stopped;
    return report_;
}

bus_health bus_core::health() const {
    bus_health found{
        .running = running_, .transport = transport_->health(), .scheduled = {}, .outbox = {}, .endpoints = {}};
    const scheduler::counts waiting = scheduler_.count();
    found.scheduled = {.waiting = waiting.waiting, .dead = waiting.dead};
    if (persistence_) {
        found.outbox = persistence_->relay().health();
    }
    for (const auto& each : receivers_) {
        found.endpoints.push_back(each->health());
    }
    return found;
}

std::size_t bus_core::slots() const noexcept {
    std::size_t all = 0;
    for (const auto& each : receivers_) {
        all += each->settings().concurrency;
    }
    return all;
}

void bus_core::want_stop() noexcept {
    stop_wanted_ = true;
    stop_wanted_.notify_all();
}

void bus_core::stop_parts() {
    running_ = false;
    state_ = state::stopped;
    for (const auto& each : receivers_) {
        each->stop_taking();
    }
    report_.still_running = drain(later(now_(), stop_timeout_));
    dispatcher_.close();
    timers_.stop(); // no scheduled message is on its way to the transport any more
    if (persistence_) {
        persistence_->stop_relay();
    }
    if (const std::size_t left = timed_.stop(); left > 0) {
        log_(log_level::warning,
             service_ + ": " + std::to_string(left) + " scheduled messages were kept in this process and end with it");
    }
    reply_receiver_->stop_taking();
    replies_->fail_all(
        std::make_exception_ptr(not_running{"the bus was stopped while a request waited for its reply"}));
    transport_->stop();
    if (persistence_ && report_.complete()) { // or a handler still has its transaction
        persistence_->stop();
    }
    io_.stop();
    if (io_thread_.joinable()) {
        io_thread_.join();
    }
    log_(log_level::info, service_ + ": stopped");
    observers_.stopped();
    want_stop();
}

std::vector<std::string> bus_core::drain(time_point deadline) {
    std::vector<std::string> still_running;
    for (const auto& each : receivers_) {
        if (!each->drain(deadline)) {
            still_running.push_back(each->settings().name);
            log_(log_level::error, each->settings().name + ": a handler is still running when the bus stops",
                 {.endpoint = each->settings().name});
        }
    }
    return still_running;
}

} // namespace ferry

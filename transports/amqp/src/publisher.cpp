#include "publisher.hpp"

#include "frames.hpp"
#include "properties.hpp"
#include "refusal.hpp"

#include <ferry/detail/brief_lock.hpp>
#include <ferry/exception_summary.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ferry::amqp {

namespace {

using steady = std::chrono::steady_clock;

constexpr std::uint16_t publishing_channel = 1; // the first of its connection, so frames can be written beforehand
constexpr std::size_t kept_buffers = 1024;
constexpr std::size_t largest_kept_buffer = std::size_t{8} * 1024;
constexpr auto sweep_every = std::chrono::milliseconds{200};
constexpr auto stop_grace = std::chrono::seconds{5};

// The broker would close the channel, and what else is on its way would go with it.
void require_size(const envelope& message, std::size_t largest) {
    if (message.body.size() > largest) {
        throw transport_error{"message " + message.message_id.to_string() + " of type \"" + message.message_type +
                                  "\" has a body of " + std::to_string(message.body.size()) +
                                  " bytes, and RabbitMQ takes at most " + std::to_string(largest) +
                                  "; keep what is large elsewhere and send where it is, or raise max_message_size here "
                                  "and in the configuration of RabbitMQ",
                              false};
    }
}

send_outcome failed(const std::string& reason, bool never_left = false) {
    return {.status = send_status::failed,
            .error = std::make_exception_ptr(transport_error{reason}),
            .never_left = never_left};
}

} // namespace

publisher::publisher(boost::asio::io_context& io, const connection_settings& settings, topology_book& book, clock now,
                     const log_function& log)
    : io_{io},
      settings_{settings},
      book_{book},
      now_{now},
      link_{io, settings.for_purpose("publishing"), *this, log},
      delays_{settings.options,
              {.ready = [this](outgoing message) { waiting_.push_back(std::move(message)); },
               .impossible =
                   [this](outgoing message, const send_outcome& outcome) {
                       has_ended(message);
                       message.on_outcome(outcome);
                   },
               .answered = [this] { pump(); }}},
      trials_{{.ready =
                   [this](std::vector<outgoing> messages) {
                       waiting_.insert(waiting_.begin(), std::make_move_iterator(messages.begin()),
                                       std::make_move_iterator(messages.end()));
                   },
               .ended = [this](outgoing message, send_outcome outcome) { tell(message, std::move(outcome)); },
               .answered =
                   [this] {
                       pump();
                       finish_stopping();
                   }}},
      window_{settings.options.window} {}

publisher::~publisher() = default;

void publisher::send(const envelope& message, send_callback on_outcome) {
    require_size(message, settings_.options.max_message_size);
    const address& to = message.destination;
    const bool exchange = to.kind == address::kind_type::exchange;
    const time_point now = now_();
    const std::uint64_t milliseconds = message.scheduled_at ? rounded(*message.scheduled_at - now) : 0;
    outgoing leaving;
    if (milliseconds > 0) {
        require_delayable(message, settings_.options);
        const int level = first_level(milliseconds);
        leaving = written(message, delays_.names().level(level), routing_key(milliseconds, to));
        leaving.delay = std::make_unique<delay_route>(to, level);
    } else {
        leaving = written(message, exchange ? std::string_view{to.name} : std::string_view{}, routing_key_of(message));
        leaving.exchange = exchange ? hash_of(to.name) : no_exchange;
    }
    leaving.on_outcome = std::move(on_outcome);
    enqueue(std::move(leaving));
}

void publisher::send_to_queue(const std::string& queue, const envelope& message, send_callback on_outcome) {
    outgoing leaving = written(message, {}, queue);
    leaving.on_outcome = std::move(on_outcome);
    enqueue(std::move(leaving));
}

outgoing publisher::written(const envelope& message, std::string_view exchange, std::string_view routing_key) {
    outgoing leaving{.frames = a_buffer(),
                     .message_id = message.message_id,
                     .place = place_of(exchange, routing_key),
                     .deadline = steady::now() + settings_.options.send_timeout};
    write_publish(message, exchange, routing_key, publishing_channel, frame_max_, leaving.frames);
    leaving.size = leaving.frames.size();
    return leaving;
}

void publisher::enqueue(outgoing message) {
    bool post = false;
    {
        const auto lock = detail::lock_briefly(mutex_);
        if (closed_) {
            throw transport_error{"the RabbitMQ transport has been stopped", false};
        }
        require_room_for(message);
        ++waiting_count_;
        bytes_taken_ += message.size;
        incoming_.push_back(std::move(message));
        post = std::exchange(idle_, false);
    }
    if (post) {
        boost::asio::post(io_, [this] { take_waiting(); });
    }
}

void publisher::require_room_for(const outgoing& message) const {
    const transport_options& options = settings_.options;
    if (waiting_count_ >= options.max_waiting_sends + options.window) {
        throw transport_error{"more than " + std::to_string(options.max_waiting_sends) +
                              " messages wait for the broker already; send more slowly, or allow more with "
                              "max_waiting_sends"};
    }
    const std::size_t bytes = bytes_taken_ - bytes_ended_.load(std::memory_order_relaxed);
    if (bytes > 0 && bytes + message.size > options.max_waiting_bytes) {
        throw transport_error{"messages of " + std::to_string(bytes) +
                              " bytes wait for the broker already; send more slowly, or allow more with "
                              "max_waiting_bytes"};
    }
}

void publisher::has_ended(const outgoing& message) noexcept {
    bytes_ended_.store(bytes_ended_.load(std::memory_order_relaxed) + message.size, std::memory_order_relaxed);
    --waiting_count_;
}

void publisher::declare(const topology& wanted, std::weak_ptr<void> asker,
                        std::function<void(std::exception_ptr)> done) {
    ask([this, wanted](declaration& to) { to.topology(wanted, settings_.options); }, std::move(asker),
        [this, wanted, done = std::move(done)](const std::exception_ptr& failure) {
            if (!failure) {
                know_exchanges_of(wanted);
            }
            done(failure);
        });
}

void publisher::require(const std::string& queue, std::weak_ptr<void> asker,
                        std::function<void(std::exception_ptr)> done) {
    ask([queue](declaration& to) { to.require_queue(queue); }, std::move(asker), std::move(done));
}

void publisher::ask(std::function<void(declaration&)> what, std::weak_ptr<void> asker,
                    std::function<void(std::exception_ptr)> done) {
    boost::asio::post(io_, [this, what = std::move(what), asker = std::move(asker), done = std::move(done)]() mutable {
        if (!declaring_) { // or the first is just being asked
            std::erase_if(declarations_, [](const wanted_declaration& each) { return each.asker.expired(); });
        }
        declarations_.push_back({std::move(what), std::move(asker), std::move(done)});
        run_declarations();
    });
}

void publisher::connected(connection& fresh) {
    connection_ = &fresh;
    frame_max_ = fresh.frame_max();
    open_channel();
}

void publisher::open_channel() {
    opening_.expires_after(settings_.options.operation_timeout);
    opening_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled) {
            link_.fail("the broker did not open the publishing channel in time");
        }
    });
    channel_ = std::make_unique<AMQP::Channel>(&connection_->protocol());
    channel_->onError([this](const char* reason) {
        refused_ = is_refusal(reason); // the end of a connection is told to its channels, too
        link_.fail(std::string{"the publishing channel: "} + reason);
    });
    channel_->confirmSelect()
        .onSuccess([this] { set_up(); }) // nothing may leave before the broker counts
        .onAck([this](std::uint64_t number, bool multiple) { answer(number, multiple, true); })
        .onNack([this](std::uint64_t number, bool multiple, bool) { answer(number, multiple, false); });
    channel_->recall().onReceived([this](const AMQP::Message& message, std::int16_t, const std::string&) {
        envelope content;
        try {
            (void)read_properties(connection_->properties(channel_->id()), {message.exchange(), message.routingkey()},
                                  content);
        } catch (const error&) {
            content.clear();
        }
        window_.returned(content.message_id, place_of(message.exchange(), message.routingkey()));
    });
}

// What was declared before is declared again, since the broker may be another one now, or an empty one.
void publisher::set_up() {
    opening_.cancel();
    const topology all = book_.all();
    declaring_ = std::make_shared<declaration>(*connection_, settings_.options.operation_timeout,
                                               [this, all](const std::exception_ptr& failure) {
                                                   declaring_.reset();
                                                   if (failure && !is_refusal(failure)) {
                                                       return link_.fail(summary_of(failure).text);
                                                   }
                                                   if (failure) { // what is there still works
                                                       link_.complain(summary_of(failure).text);
                                                   } else {
                                                       know_exchanges_of(all);
                                                   }
                                                   is_ready();
                                               });
    declaring_->topology(all, settings_.options);
    declaring_->complete();
}

void publisher::know_exchanges_of(const topology& declared) {
    if (!trusts_declarations_) {
        return;
    }
    for (const exchange_definition& each : declared.exchanges) {
        trials_.know(each.name);
    }
}

void publisher::is_ready() {
    ready_ = true;
    link_.established();
    delays_.connected(*connection_);
    trials_.connected(*connection_);
    run_declarations();
    pump();
}

void publisher::disconnected(const std::string& reason) {
    ready_ = false;
    blocked_ = false;
    opening_.cancel();
    connection_ = nullptr;
    declaring_.reset();
    channel_.reset();
    delays_.disconnected();
    const bool refused = std::exchange(refused_, false);
    trusts_declarations_ = trusts_declarations_ && !refused;
    std::vector<outgoing> unconfirmed_messages;
    window_.take_all(unconfirmed_messages);
    for (outgoing& each : unconfirmed_messages) {
        each.suspect = refused; // it was one of them that the broker refused, and might again
    }
    trials_.disconnected(waiting_, unconfirmed_messages);
    if (settings_.options.when_connection_breaks == unconfirmed::resend && !stopped_) {
        for (outgoing& each : unconfirmed_messages) {
            each.returned = false;
        }
        waiting_.insert(waiting_.begin(), std::make_move_iterator(unconfirmed_messages.begin()),
                        std::make_move_iterator(unconfirmed_messages.end()));
    } else {
        fail(unconfirmed_messages, "the connection broke before the broker confirmed the message, which may have "
                                   "arrived: " +
                                       reason);
    }
    prepare_again();
    finish_stopping();
    close();
}

// The next broker may be an empty one.
void publisher::prepare_again() {
    for (outgoing& each : std::exchange(waiting_, {})) {
        if (each.delay) {
            delays_.prepare(std::move(each));
        } else {
            waiting_.push_back(std::move(each));
        }
    }
}

void publisher::run_declarations() {
    if (!ready_ || declaring_) {
        return;
    }
    std::erase_if(declarations_, [](const wanted_declaration& each) { return each.asker.expired(); });
    if (declarations_.empty()) {
        return;
    }
    declaring_ = std::make_shared<declaration>(*connection_, settings_.options.operation_timeout,
                                               [this](const std::exception_ptr& failure) {
                                                   declaring_.reset();
                                                   const auto done = std::move(declarations_.front().done);
                                                   declarations_.pop_front();
                                                   done(failure);
                                                   run_declarations();
                                               });
    declarations_.front().ask(*declaring_);
    declaring_->complete();
}

void publisher::take_waiting() {
    (void)take_incoming();
    pump();
    sweep_later();
}

// False when there is nothing, and then whoever sends next must wake us.
bool publisher::take_incoming() {
    std::vector<outgoing> taken = std::exchange(taken_, {});
    {
        const auto lock = detail::lock_briefly(mutex_);
        taken.swap(incoming_);
        idle_ = taken.empty();
    }
    for (outgoing& each : taken) {
        if (each.delay) {
            delays_.prepare(std::move(each));
        } else {
            waiting_.push_back(std::move(each));
        }
    }
    const bool any = !taken.empty();
    taken.clear();
    taken_ = std::move(taken);
    return any;
}

// As long as messages wait here, those who send more need not wake us: a confirm makes room, and brings us back.
void publisher::pump() {
    do {
        while (ready_ && !blocked_ && !waiting_.empty() && window_.has_room() && !trials_.hold_up_all()) {
            if (!connection_->has_room()) {
                held_up_ = true;
                break;
            }
            outgoing next = std::move(waiting_.front());
            waiting_.pop_front();
            if (trials_.needs(next)) {
                trials_.take(std::move(next));
                continue;
            }
            connection_->write(next.frames.view());
            if (settings_.options.when_connection_breaks == unconfirmed::fail) {
                used_.push_back(std::move(next.frames));
            }
            next.left = true;
            window_.sent(std::move(next));
        }
    } while (waiting_.empty() && take_incoming());
    recycle_used();
}

void publisher::answer(std::uint64_t number, bool multiple, bool accepted) {
    std::vector<outgoing> answered = std::exchange(ended_, {});
    window_.answered(number, multiple, answered);
    for (outgoing& each : answered) {
        if (!accepted) {
            tell(each, failed("the broker refused the message"));
        } else {
            tell(each, {.status = each.returned ? send_status::unroutable : send_status::confirmed, .error = {}});
        }
        if (!each.frames.empty()) {
            used_.push_back(std::move(each.frames));
        }
    }
    answered.clear();
    ended_ = std::move(answered);
    pump();
    finish_stopping();
}

// There was a queue for a delayed message when it was prepared, at its destination and at each level.
void publisher::tell(outgoing& message, send_outcome outcome) {
    has_ended(message);
    if (outcome.status == send_status::unroutable && message.delay) {
        delays_.refresh();
        outcome = failed("what delays messages was missing at the broker; it is declared again");
    }
    message.on_outcome(std::move(outcome));
}

void publisher::write_done() {
    if (std::exchange(held_up_, false)) {
        pump();
    }
}

void publisher::blocked(const std::string&) { blocked_ = true; }

void publisher::unblocked() {
    blocked_ = false;
    pump();
}

void publisher::sweep_later() {
    if (std::exchange(sweeping_, true)) {
        return;
    }
    sweep_.expires_after(sweep_every);
    sweep_.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled) {
            sweeping_ = false;
            sweep();
        }
    });
}

void publisher::sweep() {
    (void)take_incoming();
    const auto now = steady::now();
    std::vector<outgoing> late;
    window_.take_late(now, late);
    trials_.take_late(now, late);
    amqp::take_late(waiting_, now, late);
    delays_.take_late(now, late);
    fail_late(late);
    pump();
    finish_stopping();
    if (waiting_count_ > 0 || stopped_) {
        sweep_later();
    }
}

void publisher::fail_late(std::vector<outgoing>& late) {
    const std::string unconfirmed = std::string{"the broker did not confirm the message in time, which may have "
                                                "arrived"} +
                                    (blocked_ ? ": " + link_.last_error() : "");
    const std::string unsent = why_nothing_leaves();
    for (outgoing& each : std::exchange(late, {})) {
        has_ended(each);
        each.on_outcome(failed(each.left ? unconfirmed : unsent, !each.left));
    }
}

std::string publisher::why_nothing_leaves() const {
    const std::string last = link_.last_error();
    return std::string{"the message could not be sent in time: "} +
           (!ready_ ? "there is no connection to the broker" : "the broker takes no messages") +
           (last.empty() ? "" : ": " + last);
}

void publisher::fail(std::vector<outgoing>& messages, const std::string& reason) {
    for (outgoing& each : messages) {
        has_ended(each);
        each.on_outcome(failed(reason, !each.left));
    }
    messages.clear();
}

void publisher::stop(std::function<void()> stopped) {
    {
        const std::scoped_lock lock{mutex_};
        closed_ = true;
    }
    boost::asio::post(io_, [this, stopped = std::move(stopped)]() mutable {
        stopped_ = std::move(stopped);
        stop_deadline_ = steady::now() + stop_grace;
        take_waiting();
        declaring_.reset();
        for (wanted_declaration& each : std::exchange(declarations_, {})) {
            each.done(std::make_exception_ptr(transport_error{"the RabbitMQ transport was stopped", false}));
        }
        finish_stopping();
    });
}

// Waits for confirms as long as that makes sense, and then goes one step further each time it is called.
void publisher::finish_stopping() {
    const bool hopeless = !ready_ || blocked_ || steady::now() >= stop_deadline_;
    if (!stopped_ || (waiting_count_ > 0 && !hopeless)) {
        return;
    }
    std::vector<outgoing> left;
    window_.take_all(left);
    trials_.disconnected(waiting_, left);
    delays_.stop(left);
    std::ranges::move(waiting_, std::back_inserter(left));
    waiting_.clear();
    fail(left, "the RabbitMQ transport was stopped before the broker had the message");
    sweep_.cancel();
    close_ = std::exchange(stopped_, nullptr);
    const std::vector<std::string> temporary = book_.temporary_queues();
    if (!ready_ || blocked_ || temporary.empty()) {
        return close();
    }
    declaring_ = std::make_shared<declaration>(
        *connection_, std::min<duration>(settings_.options.operation_timeout, stop_grace),
        [this](const std::exception_ptr&) { boost::asio::post(io_, [this] { close(); }); });
    for (const std::string& each : temporary) {
        declaring_->remove_queue(each);
    }
    declaring_->complete();
}

void publisher::close() {
    if (close_) {
        declaring_.reset();
        link_.stop(std::exchange(close_, nullptr));
    }
}

buffer publisher::a_buffer() {
    const auto lock = detail::lock_briefly(mutex_);
    if (buffers_.empty()) {
        return {};
    }
    buffer taken = std::move(buffers_.back());
    buffers_.pop_back();
    return taken;
}

// Many at once: senders want the lock, too.
void publisher::recycle_used() {
    if (used_.empty()) {
        return;
    }
    {
        const auto lock = detail::lock_briefly(mutex_);
        for (buffer& each : used_) {
            each.clear();
            if (buffers_.size() < kept_buffers && each.capacity() <= largest_kept_buffer) {
                buffers_.push_back(std::move(each));
            }
        }
    }
    used_.clear();
}

} // namespace ferry::amqp

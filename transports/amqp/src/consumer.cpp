#include "consumer.hpp"

#include "properties.hpp"

#include <ferry/packed_envelope.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace ferry::amqp {

namespace {

// A tag means something on its own channel only, so what goes out carries the number of the channel in its upper bits.
constexpr unsigned generation_shift = 48;
constexpr std::uint64_t tag_mask = (std::uint64_t{1} << generation_shift) - 1;

} // namespace

consumer::consumer(boost::asio::io_context& io, consumer_keeper& keeper, std::string queue, bool has_dead_letters,
                   const consume_options& options, delivery_sink& sink)
    : io_{io},
      keeper_{keeper},
      queue_{std::move(queue)},
      has_dead_letters_{has_dead_letters},
      prefetch_{std::min<std::size_t>(options.prefetch, 65'535)},
      sink_{sink} {
    settled_.reserve(prefetch_);
}

consumer::~consumer() = default;

void consumer::change(mode to) {
    {
        std::unique_lock lock{mutex_};
        if (mode_ == mode::ended) {
            return;
        }
        mode_ = to;
        if (to != mode::running) {
            idle_.wait(
                lock, [this] { return delivering_ == std::thread::id{} || delivering_ == std::this_thread::get_id(); });
        }
    }
    adjust_soon();
}

void consumer::adjust_soon() {
    const std::scoped_lock lock{mutex_};
    if (!closed_) {
        boost::asio::post(io_, [self = consumer_ptr{this}] { self->adjust(); });
    }
}

void consumer::settle(delivered_message message, verdict outcome) noexcept {
    const consumer_ptr held{this, false}; // what the delivery had
    try {
        const std::scoped_lock lock{mutex_};
        if (closed_) {
            return;
        }
        settled_.push_back({message.tag, outcome});
        if (!std::exchange(posted_, true)) {
            boost::asio::post(io_, [self = consumer_ptr{this}] { self->flush(); });
        }
    } catch (...) { // out of memory: the broker has it back when the channel ends
        return;
    }
}

void consumer::open(connection& on) {
    connection_ = &on;
    ++generation_;
    log_.clear();
    active_ = mode::paused;
    channel_ = std::make_unique<AMQP::Channel>(&on.protocol());
    // AMQP-CPP keeps what it was given until the broker has answered the end of the channel, so it keeps us as well.
    channel_->onError([self = consumer_ptr{this}, number = generation_](const char* reason) {
        if (number == self->generation_) {
            boost::asio::post(self->io_, [self, number, text = std::string{reason}] { // not from inside the channel
                if (number == self->generation_ && self->is_open()) {
                    self->lost();
                    self->keeper_.needs_repair(*self, text);
                }
            });
        }
    });
    adjust();
}

void consumer::lost() noexcept {
    ++generation_;
    consuming_ = false;
    channel_.reset();
    connection_ = nullptr;
    log_.clear();
    active_ = mode::paused;
    batch_.clear();
}

void consumer::close() {
    {
        const std::scoped_lock lock{mutex_};
        closed_ = true;
        mode_ = mode::ended;
    }
    lost();
    tell_begun(std::make_exception_ptr(transport_error{"the RabbitMQ transport was stopped", false}));
}

void consumer::tell_begun(const std::exception_ptr& failure) {
    if (const auto begun = std::exchange(begun_, nullptr)) {
        begun(failure);
    }
}

consumer::mode consumer::wanted() const {
    const std::scoped_lock lock{mutex_};
    return mode_;
}

// Brings what the broker does for us in line with what is wanted.
void consumer::adjust() {
    const mode now = wanted();
    if (channel_ && active_ != now) {
        if (active_ != mode::paused) {
            cancel();
        }
        if (now == mode::running || now == mode::one) {
            begin(now);
        }
    }
    if (now == mode::ended && (!channel_ || log_.empty())) {
        const consumer_ptr self{this};
        close();
        keeper_.has_ended(*this);
    }
}

void consumer::begin(mode how) {
    active_ = how;
    consuming_ = false;
    tag_ = "ferry-" + std::to_string(++tags_);
    channel_->setQos(how == mode::one ? 1 : static_cast<std::uint16_t>(prefetch_));
    channel_->consume(queue_, tag_)
        .onReceived([self = consumer_ptr{this}, number = generation_](const AMQP::Message& message, std::uint64_t tag,
                                                                      bool redelivered) {
            if (number == self->generation_) { // or it goes back with its channel
                self->received(message, tag, redelivered);
            }
        })
        .onSuccess([self = consumer_ptr{this}, number = generation_](const std::string& tag) {
            self->consuming_ = number == self->generation_ && tag == self->tag_;
            self->tell_begun(nullptr);
        })
        .onCancelled([self = consumer_ptr{this}, number = generation_](const std::string& which) {
            boost::asio::post(self->io_, [self, number, which] {
                if (number == self->generation_ && which == self->tag_) {
                    self->lost();
                    self->keeper_.needs_repair(*self, "the broker has cancelled it");
                }
            });
        });
}

void consumer::cancel() {
    consuming_ = false;
    channel_->cancel(tag_);
    tag_.clear();
    active_ = mode::paused;
}

void consumer::received(const AMQP::Message& message, std::uint64_t tag, bool redelivered) {
    log_.delivered(tag);
    intrusive_ptr_add_ref(this); // until it is settled
    batch_.emplace_back(unpacked(message, tag, redelivered), *this);
}

delivered_message consumer::unpacked(const AMQP::Message& message, std::uint64_t tag, bool redelivered) {
    const std::string_view properties = connection_->properties(channel_->id());
    const std::string_view body{message.body(), message.bodySize()};
    delivered_message taken{.content = {}, .tag = marked(tag), .earlier_deliveries = redelivered ? 1U : 0U};
    try {
        const arrived with = read_properties(properties, {message.exchange(), message.routingkey()}, scratch_);
        taken.earlier_deliveries = std::max(taken.earlier_deliveries, with.earlier_deliveries);
        if (scratch_.message_type.empty()) {
            scratch_.message_type = keeper_.type_of(message.routingkey(), queue_);
        }
        if (!with.foreign_correlation_id.empty() && !scratch_.response.empty()) {
            keeper_.remember_correlation(scratch_.correlation_id, with.foreign_correlation_id);
        }
        scratch_.body.assign(body);
        taken.content = packed_envelope{scratch_};
    } catch (const envelope_error&) { // the receiving pipeline says what is wrong with it, and keeps it as it is
        taken.content = packed_envelope::from_bytes(std::string{properties} + std::string{body});
    }
    return taken;
}

void consumer::read_done() {
    if (batch_.empty()) {
        return;
    }
    const consumer_ptr self{this};
    std::vector<delivery> batch;
    batch.swap(batch_);
    if (const std::size_t count = std::min(take_turn(), batch.size()); count > 0) {
        try {
            sink_.deliver(std::span{batch}.first(count));
        } catch (...) {
            batch.clear(); // whatever went wrong there, what the sink did not take goes back
        }
        end_turn();
    }
    batch.clear();
    if (batch_.empty()) {
        batch_.swap(batch);
    }
    adjust();
}

/// How many deliveries the sink may have now; it is busy from here on if any.
std::size_t consumer::take_turn() {
    const std::scoped_lock lock{mutex_};
    const std::size_t allowed = mode_ == mode::running ? prefetch_ : mode_ == mode::one ? 1 : 0;
    if (mode_ == mode::one) {
        mode_ = mode::paused;
    }
    if (allowed > 0) {
        delivering_ = std::this_thread::get_id();
    }
    return allowed;
}

void consumer::end_turn() {
    const std::scoped_lock lock{mutex_};
    delivering_ = {};
    idle_.notify_all();
}

void consumer::flush() {
    {
        const std::scoped_lock lock{mutex_};
        posted_ = false;
        flushing_.swap(settled_);
    }
    for (const settled_delivery& each : flushing_) {
        if (each.tag >> generation_shift == (generation_ & 0xFFFF)) {
            const bool back = each.outcome == verdict::reject && !has_dead_letters_;
            log_.settled(each.tag & tag_mask, back ? verdict::requeue : each.outcome);
        }
    }
    flushing_.clear();
    if (!channel_) {
        return;
    }
    log_.take(instructions_);
    for (const settlement_log::instruction& each : instructions_) {
        if (each.outcome == verdict::accept) {
            channel_->ack(each.tag, each.multiple ? AMQP::multiple : 0);
        } else {
            channel_->reject(each.tag, each.outcome == verdict::requeue ? AMQP::requeue : 0);
        }
    }
    instructions_.clear();
    adjust();
}

std::uint64_t consumer::marked(std::uint64_t tag) const noexcept {
    return (generation_ & 0xFFFF) << generation_shift | tag;
}

} // namespace ferry::amqp

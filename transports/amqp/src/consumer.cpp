#include "consumer.hpp"

#include "properties.hpp"
#include "refusal.hpp"

#include <ferry/packed_envelope.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace ferry::amqp {

namespace {

// A tag means something on its own channel only, so what goes out carries the number of the channel in its upper bits.
constexpr unsigned generation_shift = 48;
constexpr std::uint64_t tag_mask = (std::uint64_t{1} << generation_shift) - 1;

// How long the broker may wait to hear of a settled delivery while more of them come.
constexpr auto moment = std::chrono::milliseconds{1};

} // namespace

consumer::consumer(boost::asio::io_context& io, consumer_keeper& keeper, source from, const consume_options& options,
                   delivery_sink& sink)
    : io_{io},
      keeper_{keeper},
      from_{std::move(from)},
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
        // Waking the I/O thread for each would cost more than handling it; but the broker must not run out of room.
        const bool can_wait = flushes_soon_ && settled_.size() < std::max<std::size_t>(prefetch_ / 2, 1);
        if (!can_wait && !std::exchange(posted_, true)) {
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
                    self->refused(text);
                }
            });
        }
    });
    adjust();
}

void consumer::lost() noexcept {
    ++generation_;
    consuming_ = false;
    hungry_ = false;
    channel_.reset();
    connection_ = nullptr;
    log_.clear();
    active_ = mode::paused;
    moving_ = 0;
    unanswered_ = 0;
    answer_.cancel();
    suspects_.clear();
    batch_.clear();
}

// A channel answers in the order it was asked, so one clock is enough: it runs anew after each answer.
void consumer::expect_answer() {
    if (unanswered_++ == 0) {
        await_answer();
    }
}

void consumer::answered(std::uint64_t generation) {
    if (generation != generation_ || unanswered_ == 0) {
        return;
    }
    answer_.cancel();
    if (--unanswered_ > 0) {
        await_answer();
    }
}

void consumer::await_answer() {
    answer_.expires_after(keeper_.patience());
    answer_.async_wait([self = consumer_ptr{this}, number = generation_](const boost::system::error_code& cancelled) {
        if (!cancelled && number == self->generation_ && self->unanswered_ > 0) {
            self->broken("the broker did not answer in time");
        }
    });
}

// Whoever starts to consume what may not be consumed is told. Later on somebody may put it right again.
void consumer::refused(const std::string& answer) {
    if (begun_ && may_not_consume(answer)) {
        lost();
        return tell_begun(std::make_exception_ptr(
            transport_error{"the queue " + from_.queue + " cannot be consumed: " + answer + advice(answer), false}));
    }
    broken(answer);
}

void consumer::broken(const std::string& reason) {
    lost();
    ailing_ = true;
    keeper_.needs_repair(*this, reason);
}

// In reserve behind a single active consumer it may wait for ever.
bool consumer::is_starved(std::uint32_t waiting) {
    const bool nothing_came = received_ == std::exchange(received_before_look_, received_);
    const bool is_hungry =
        nothing_came && waiting > 0 && !from_.takes_turns && active_ == mode::running && log_.unsettled() < prefetch_;
    return std::exchange(hungry_, is_hungry) && is_hungry;
}

void consumer::recovered() {
    if (std::exchange(ailing_, false)) {
        keeper_.is_well(*this);
    }
}

void consumer::close() {
    {
        const std::scoped_lock lock{mutex_};
        closed_ = true;
        mode_ = mode::ended;
    }
    lost();
    moment_.cancel();
    tell_begun(std::make_exception_ptr(transport_error{"the RabbitMQ transport was stopped", false}));
}

void consumer::tell_begun(const std::exception_ptr& failure) {
    if (const auto begun = std::exchange(begun_, nullptr)) {
        begun(failure);
    }
}

bool consumer::does_what_it_should() const { return wanted() == mode::paused || consuming_; }

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
    if (channel_ && now == mode::paused) {
        recovered();
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
    expect_answer();
    channel_->consume(from_.queue, tag_)
        .onReceived([self = consumer_ptr{this}, number = generation_](const AMQP::Message& message, std::uint64_t tag,
                                                                      bool redelivered) {
            if (number == self->generation_) { // or it goes back with its channel
                self->received(message, tag, redelivered);
            }
        })
        .onSuccess([self = consumer_ptr{this}, number = generation_](const std::string& tag) {
            if (number != self->generation_) {
                return; // it says that of a channel that is gone
            }
            self->consuming_ = tag == self->tag_;
            self->answered(number);
            self->tell_begun(nullptr);
            self->recovered();
        })
        .onCancelled([self = consumer_ptr{this}, number = generation_](const std::string& which) {
            boost::asio::post(self->io_, [self, number, which] {
                if (number == self->generation_ && which == self->tag_) {
                    self->broken("the broker has cancelled it");
                }
            });
        });
}

void consumer::cancel() {
    consuming_ = false;
    expect_answer();
    channel_->cancel(tag_).onSuccess(
        [self = consumer_ptr{this}, number = generation_](const std::string&) { self->answered(number); });
    tag_.clear();
    active_ = mode::paused;
}

void consumer::received(const AMQP::Message& message, std::uint64_t tag, bool redelivered) {
    ++received_;
    log_.delivered(tag);
    consumer_ptr until_settled{this};
    taken read = unpacked(message, tag, redelivered);
    delivery held{std::move(read.message), *this};
    until_settled.detach();
    switch (read.advice) {
    case poison_guard::advice::hand_out:
        return pass_on(std::move(held));
    case poison_guard::advice::count:
        return count(std::move(held));
    case poison_guard::advice::give_up:
        return give_up(std::move(held));
    }
}

consumer::taken consumer::unpacked(const AMQP::Message& message, std::uint64_t tag, bool redelivered) {
    const std::string_view properties = connection_->properties(channel_->id());
    const std::string_view body{message.body(), message.bodySize()};
    taken read{.message = {.content = {}, .tag = marked(tag), .earlier_deliveries = redelivered ? 1U : 0U}};
    try {
        const arrived with = read_properties(properties, {message.exchange(), message.routingkey()}, scratch_);
        read.message.earlier_deliveries =
            from_.guard.earlier_deliveries(redelivered, with.earlier_deliveries, scratch_.delivery_count);
        read.advice = from_.guard.about(redelivered, with.earlier_deliveries, scratch_.delivery_count);
        if (from_.guard.is_on()) {
            scratch_.delivery_count = 0; // of this queue alone; whoever sends the message on would take it along
        }
        if (scratch_.message_type.empty()) {
            scratch_.message_type = keeper_.type_of(message.routingkey(), from_.queue);
        }
        scratch_.body.assign(body);
        read.message.content = packed_envelope{scratch_};
    } catch (const envelope_error&) { // the receiving pipeline says what is wrong with it, and keeps it as it is
        read.message.content = packed_envelope::from_bytes(std::string{properties} + std::string{body});
    }
    return read;
}

// What has come before may kill the process. If it did so while another message is here twice, as itself and as its
// copy, both would come again, and be copied again: they would double with every death. So it waits until nothing
// moves.
void consumer::pass_on(delivery next) {
    const bool waits = from_.guard.is_on() && moving_ > 0 && next.earlier_deliveries() > 0;
    (waits ? suspects_ : batch_).push_back(std::move(next));
}

// The copy comes in its turn, and says how often it came before. When it cannot be written, the message is handled all
// the same: what does no harm should not wait, and what does is counted the next time.
void consumer::count(delivery held) {
    ++moving_;
    const envelope copy = counted_copy(scratch_, held.earlier_deliveries());
    keeper_.send(
        copy, from_.queue,
        [self = consumer_ptr{this}, number = generation_, held = std::move(held)](const send_outcome& outcome) mutable {
            if (number != self->generation_) {
                return; // it goes back with its channel
            }
            if (outcome.status == send_status::confirmed) {
                return self->moved(std::move(held));
            }
            self->suspects_.push_back(std::move(held));
            self->move_ended();
        });
}

void consumer::give_up(delivery held) {
    const std::uint32_t earlier = held.earlier_deliveries();
    const std::string what = from_.queue + ": " + scratch_.message_type + " " + scratch_.message_id.to_string() +
                             " was handed out " + std::to_string(earlier) + " times and never settled";
    if (from_.dead_letters.empty()) { // the broker knows where to
        keeper_.tell(what + "; it is rejected");
        return std::move(held).reject();
    }
    ++moving_;
    keeper_.send(poisonous_copy(scratch_, from_.queue, from_.dead_letters, earlier, keeper_.now()), from_.dead_letters,
                 [self = consumer_ptr{this}, number = generation_, what,
                  held = std::move(held)](const send_outcome& outcome) mutable {
                     if (number != self->generation_) {
                         return;
                     }
                     if (outcome.status == send_status::confirmed) {
                         self->keeper_.tell(what + "; it went to " + self->from_.dead_letters);
                         return self->moved(std::move(held));
                     }
                     self->keeper_.tell(what + ", and " + self->from_.dead_letters + " is out of reach; it goes back");
                     self->give_back_later(std::move(held));
                     self->move_ended();
                 });
}

void consumer::give_back_later(delivery held) {
    const auto wait = std::make_shared<boost::asio::steady_timer>(io_, keeper_.pause());
    wait->async_wait([wait, held = std::move(held)](const boost::system::error_code&) {});
}

/// The copy is safe. Takes the message off its queue, and asks something behind that to hear when it is off.
void consumer::moved(delivery original) {
    std::move(original).accept();
    flush();
    if (channel_) { // the end of a subscription may have waited for just this
        expect_answer();
        channel_->setQos(static_cast<std::uint16_t>(active_ == mode::one ? 1 : prefetch_))
            .onSuccess([self = consumer_ptr{this}, number = generation_] {
                self->answered(number);
                if (number == self->generation_) {
                    self->move_ended();
                }
            });
    }
}

void consumer::move_ended() {
    if (--moving_ > 0 || suspects_.empty()) {
        return;
    }
    std::ranges::move(suspects_, std::back_inserter(batch_));
    suspects_.clear();
    boost::asio::post(io_, [self = consumer_ptr{this}] { self->hand_over(); });
}

void consumer::read_done(arrival_rate::moment now, read_pace& pace) {
    rate_.note(batch_.size(), now);
    pace.include(rate_, prefetch_);
    hand_over();
}

void consumer::hand_over() {
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
    flush();
    flush_in_a_moment();
}

void consumer::flush_in_a_moment() {
    {
        const std::scoped_lock lock{mutex_};
        if (closed_ || std::exchange(flushes_soon_, true)) {
            return;
        }
    }
    moment_.expires_after(moment);
    moment_.async_wait([self = consumer_ptr{this}](const boost::system::error_code& cancelled) {
        if (!cancelled) {
            self->moment_is_over();
        }
    });
}

// Goes on for as long as there is something to tell each time.
void consumer::moment_is_over() {
    bool anything = false;
    {
        const std::scoped_lock lock{mutex_};
        flushes_soon_ = false;
        anything = !settled_.empty();
    }
    if (anything) {
        flush();
        flush_in_a_moment();
    }
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
            const bool back = each.outcome == verdict::reject && !from_.takes_rejected;
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

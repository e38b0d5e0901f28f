#include "trials.hpp"

#include "frames.hpp"
#include "refusal.hpp"

#include <amqpcpp.h>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <iterator>

namespace ferry::amqp {

namespace {

send_outcome outcome_of(const std::string& answer) {
    if (answer.contains("no exchange")) {
        return {.status = send_status::unroutable, .error = {}};
    }
    const std::string hint = answer.contains("ACCESS_REFUSED") ? advice(answer) : "";
    return {.status = send_status::failed,
            .error = std::make_exception_ptr(
                transport_error{"the broker refuses the message: " + answer + hint, !is_permanent(answer)})};
}

/// It says the same of every message there. A right to some routing keys is about one of them.
bool is_about_the_exchange(std::string_view answer) {
    return answer.contains("no exchange") || (answer.contains("ACCESS_REFUSED") && !answer.contains("to topic"));
}

} // namespace

/// A message, and the channel it is tried on. The channel ends with it; AMQP-CPP keeps what it was given until the
/// broker has answered that, and finds nobody then.
class trial : public std::enable_shared_from_this<trial> {
public:
    trial(trials& owner, connection& on, outgoing what) : message{std::move(what)}, owner_{owner}, connection_{on} {}

    void begin() {
        channel_ = std::make_unique<AMQP::Channel>(&connection_.protocol());
        // The end of a connection is told to its channels, too, and to whoever owns it.
        channel_->onError([self = weak_from_this(), &io = connection_.io()](const char* reason) {
            if (is_refusal(reason)) {
                boost::asio::post(io, [self, answer = std::string{reason}] { // not inside the channel
                    if (const auto present = self.lock(); present && present->channel_) {
                        present->owner_.refused(present, answer);
                    }
                });
            }
        });
        channel_->confirmSelect()
            .onSuccess(when_there(&trial::publish))
            .onAck([self = weak_from_this()](std::uint64_t, bool) { tell(self, true); })
            .onNack([self = weak_from_this()](std::uint64_t, bool, bool) { tell(self, false); });
        channel_->recall().onReceived(
            [self = weak_from_this()](const AMQP::Message&, std::int16_t, const std::string&) {
                if (const auto present = self.lock()) {
                    present->message.returned = true;
                }
            });
    }
    /// Gives the message away, and ends the channel.
    [[nodiscard]] outgoing end() {
        channel_.reset();
        return std::move(message);
    }

    outgoing message;
    bool passed = false; ///< the broker has taken it, and need not have confirmed it

private:
    using step = void (trial::*)();

    [[nodiscard]] std::function<void()> when_there(step then) {
        return [self = weak_from_this(), then] {
            if (const auto present = self.lock(); present && present->channel_) {
                (*present.*then)();
            }
        };
    }
    static void tell(const std::weak_ptr<trial>& of, bool accepted) {
        if (const auto present = of.lock(); present && present->channel_) {
            present->owner_.answered(present, accepted);
        }
    }
    // The broker answers in order, and has closed the channel by then when it refuses the message.
    void publish() {
        buffer frames;
        write_on_channel(message.frames.view(), channel_->id(), frames);
        message.left = true;
        connection_.write(frames.view());
        channel_->setQos(1).onSuccess(when_there(&trial::pass));
    }
    void pass() { owner_.passed(shared_from_this()); }

    trials& owner_;
    connection& connection_;
    std::unique_ptr<AMQP::Channel> channel_;
};

trials::~trials() = default;

trials::lane& trials::lane_of(const outgoing& message) {
    return message.suspect ? suspects_ : lanes_[message.exchange];
}

void trials::take(outgoing message) {
    lane& in = lane_of(message);
    in.waiting.push_back(std::move(message));
    try_next(in);
}

void trials::know(std::string_view exchange) { known_.insert(hash_of(exchange)); }

void trials::try_next(lane& in) {
    if (connection_ == nullptr || in.current || in.waiting.empty()) {
        return;
    }
    in.current = std::make_shared<trial>(*this, *connection_, std::move(in.waiting.front()));
    in.waiting.pop_front();
    in.current->begin();
}

void trials::disconnected(std::deque<outgoing>& waiting, std::vector<outgoing>& unconfirmed) {
    std::vector<outgoing> back;
    const auto give_back = [&](lane& from) {
        if (from.current) {
            (from.current->message.left ? unconfirmed : back).push_back(from.current->end());
        }
        std::ranges::move(from.waiting, std::back_inserter(back));
    };
    for (const trial_ptr& each : std::exchange(unconfirmed_, {})) {
        unconfirmed.push_back(each->end());
    }
    give_back(suspects_);
    suspects_ = {};
    for (auto& [exchange, each] : lanes_) {
        give_back(each);
    }
    lanes_.clear();
    known_.clear();
    connection_ = nullptr;
    waiting.insert(waiting.begin(), std::make_move_iterator(back.begin()), std::make_move_iterator(back.end()));
}

void trials::take_late(std::chrono::steady_clock::time_point now, std::vector<outgoing>& late) {
    const auto is_late = [now](const trial_ptr& each) { return each && each->message.deadline <= now; };
    std::erase_if(unconfirmed_, [&](const trial_ptr& each) {
        const bool over = is_late(each);
        if (over) {
            late.push_back(each->end());
        }
        return over;
    });
    const auto look_at = [&](lane& in) {
        if (is_late(in.current)) {
            late.push_back(std::exchange(in.current, nullptr)->end());
        }
        amqp::take_late(in.waiting, now, late);
        try_next(in);
    };
    look_at(suspects_);
    for (auto& [exchange, each] : lanes_) {
        look_at(each);
    }
    std::erase_if(lanes_, [](const auto& each) { return !each.second.current && each.second.waiting.empty(); });
}

void trials::passed(const trial_ptr& which) {
    if (std::exchange(which->passed, true)) {
        return;
    }
    unconfirmed_.push_back(which);
    const std::size_t exchange = which->message.exchange;
    if (exchange != no_exchange) {
        known_.insert(exchange);
    }
    lane& in = lane_of(which->message);
    in.current = nullptr;
    if (!std::exchange(which->message.suspect, false)) {
        std::deque<outgoing> behind = std::move(in.waiting);
        lanes_.erase(exchange);
        ends_.ready({std::make_move_iterator(behind.begin()), std::make_move_iterator(behind.end())});
    }
    ends_.answered();
}

void trials::answered(const trial_ptr& which, bool accepted) {
    passed(which); // its confirm came first
    if (std::erase(unconfirmed_, which) == 0) {
        return; // it has ended meanwhile
    }
    outgoing message = which->end();
    send_outcome told{.status = message.returned ? send_status::unroutable : send_status::confirmed, .error = {}};
    if (!accepted) {
        told = {.status = send_status::failed,
                .error = std::make_exception_ptr(transport_error{"the broker refused the message"})};
    }
    ends_.ended(std::move(message), std::move(told));
    ends_.answered();
}

void trials::refused(const trial_ptr& which, const std::string& answer) {
    const send_outcome told = outcome_of(answer);
    if (which->passed) { // something else has closed it
        std::erase(unconfirmed_, which);
        ends_.ended(which->end(), told);
    } else {
        refuse_lane(which, answer, told);
    }
    ends_.answered();
}

void trials::refuse_lane(const trial_ptr& which, const std::string& answer, const send_outcome& told) {
    lane& in = lane_of(which->message);
    in.current = nullptr;
    std::vector<outgoing> ended;
    ended.push_back(which->end());
    if (const outgoing& culprit = ended.front(); !culprit.suspect) {
        if (is_about_the_exchange(answer)) {
            std::ranges::move(std::exchange(in.waiting, {}), std::back_inserter(ended));
        }
        if (in.waiting.empty()) {
            lanes_.erase(culprit.exchange);
        } else {
            try_next(in);
        }
    }
    for (outgoing& each : ended) {
        ends_.ended(std::move(each), told);
    }
}

} // namespace ferry::amqp

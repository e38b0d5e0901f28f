#include "trials.hpp"

#include "frames.hpp"
#include "refusal.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

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

void trials::take(outgoing message) {
    suspects_ += message.suspect ? 1 : 0;
    waiting_.push_back(std::move(message));
    go_on();
}

void trials::know(std::string_view exchange) { known_.insert(hash_of(exchange)); }

void trials::disconnected(std::deque<outgoing>& waiting, std::vector<outgoing>& unconfirmed) {
    if (current_) {
        unconfirmed.push_back(std::move(*std::exchange(current_, std::nullopt)));
    }
    waiting.insert(waiting.begin(), std::make_move_iterator(waiting_.begin()), std::make_move_iterator(waiting_.end()));
    waiting_.clear();
    suspects_ = 0;
    known_.clear();
    connection_ = nullptr;
    close();
}

void trials::take_late(std::chrono::steady_clock::time_point now, std::vector<outgoing>& late) {
    if (current_ && current_->deadline <= now) {
        late.push_back(std::move(*std::exchange(current_, std::nullopt)));
        close(); // an answer that still comes is for nobody
    }
    amqp::take_late(waiting_, now, late);
    suspects_ = static_cast<std::size_t>(std::ranges::count_if(waiting_, &outgoing::suspect)) +
                (current_ && current_->suspect ? 1 : 0);
    go_on();
}

void trials::go_on() {
    if (connection_ == nullptr || current_ || waiting_.empty()) {
        return;
    }
    if (!channel_) {
        return open();
    }
    if (open_) {
        current_ = std::move(waiting_.front());
        waiting_.pop_front();
        frames_.clear();
        write_on_channel(current_->frames.view(), channel_->id(), frames_);
        connection_->write(frames_.view());
    }
}

void trials::open() {
    channel_ = std::make_unique<AMQP::Channel>(&connection_->protocol());
    channel_->onError([this, round = round_](const char* reason) {
        if (round != round_) {
            return;
        }
        boost::asio::post(connection_->io(), [this, round, answer = std::string{reason}] { // not inside the channel
            if (round == round_) {
                refused(answer);
            }
        });
    });
    channel_->confirmSelect()
        .onSuccess([this, round = round_] {
            if (round == round_) {
                open_ = true;
                go_on();
            }
        })
        .onAck([this, round = round_](std::uint64_t, bool) {
            if (round == round_) {
                answered(true);
            }
        })
        .onNack([this, round = round_](std::uint64_t, bool, bool) {
            if (round == round_) {
                answered(false);
            }
        });
    channel_->recall().onReceived([this, round = round_](const AMQP::Message&, std::int16_t, const std::string&) {
        if (round == round_ && current_) {
            current_->returned = true;
        }
    });
}

void trials::close() noexcept {
    ++round_;
    open_ = false;
    channel_.reset();
}

void trials::answered(bool accepted) {
    if (!current_) {
        return;
    }
    const std::size_t exchange = current_->exchange;
    known_.insert(exchange);
    if (accepted) {
        end_current({.status = current_->returned ? send_status::unroutable : send_status::confirmed, .error = {}});
    } else {
        end_current({.status = send_status::failed,
                     .error = std::make_exception_ptr(transport_error{"the broker refused the message"})});
    }
    for (outgoing& each : taken_from_waiting(exchange)) {
        ends_.ready(std::move(each));
    }
    go_on();
    ends_.answered();
}

void trials::refused(const std::string& answer) {
    close();
    const send_outcome told = outcome_of(answer);
    std::vector<outgoing> others;
    if (!current_) { // there is no channel to be had
        std::ranges::move(std::exchange(waiting_, {}), std::back_inserter(others));
        suspects_ = 0;
    } else {
        if (is_about_the_exchange(answer)) {
            others = taken_from_waiting(current_->exchange);
        }
        end_current(told);
    }
    for (outgoing& each : others) {
        ends_.ended(std::move(each), told);
    }
    go_on();
    ends_.answered();
}

void trials::end_current(const send_outcome& told) {
    outgoing ended = std::move(*std::exchange(current_, std::nullopt));
    suspects_ -= ended.suspect ? 1 : 0;
    ends_.ended(std::move(ended), told);
}

/// Suspects stay: each is tried.
std::vector<outgoing> trials::taken_from_waiting(std::size_t exchange) {
    std::vector<outgoing> taken;
    for (outgoing& each : std::exchange(waiting_, {})) {
        if (each.exchange == exchange && !each.suspect) {
            taken.push_back(std::move(each));
        } else {
            waiting_.push_back(std::move(each));
        }
    }
    return taken;
}

} // namespace ferry::amqp

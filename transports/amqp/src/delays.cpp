#include "delays.hpp"

#include "refusal.hpp"

#include <ferry/exception_summary.hpp>

#include <algorithm>
#include <utility>

namespace ferry::amqp {

namespace {

/// The broker says so; and not of the exchange that all of them come through.
bool is_missing(const address& destination, std::string_view answer) {
    const char* const kind = destination.kind == address::kind_type::queue ? "no queue '" : "no exchange '";
    return is_permanent(answer) && answer.contains(kind + destination.name + "' ");
}

} // namespace

delays::delays(const transport_options& options, outcome ends)
    : options_{options}, ends_{std::move(ends)}, names_{names_of_delays(options)} {}

void delays::prepare(outgoing message) {
    waiting_.push_back(std::move(message));
    go_on();
}

void delays::refresh() {
    want_all_again();
    go_on();
}

void delays::want_all_again() {
    forget_what_is_there();
    overdue_levels_ = levels_ever_;
    for (const auto& [name, destination] : bound_ever_) {
        overdue_.push_back(destination);
    }
}

void delays::connected(connection& fresh) {
    connection_ = &fresh;
    refresh();
}

void delays::disconnected() {
    connection_ = nullptr;
    asking_.reset();
    forget_what_is_there();
}

void delays::forget_what_is_there() {
    ++round_;
    levels_ = 0;
    bound_.clear();
    overdue_levels_ = 0;
    overdue_.clear();
}

void delays::take_late(std::chrono::steady_clock::time_point now, std::vector<outgoing>& late) {
    for (outgoing& each : std::exchange(waiting_, {})) {
        if (each.deadline <= now) {
            late.push_back(std::move(each));
        } else {
            waiting_.push_back(std::move(each));
        }
    }
}

void delays::stop(std::vector<outgoing>& waiting) {
    disconnected();
    for (outgoing& each : std::exchange(waiting_, {})) {
        waiting.push_back(std::move(each));
    }
}

// One question at a time: the next one is asked when it has been answered.
void delays::go_on() {
    if (asking_ || connection_ == nullptr) {
        return;
    }
    pass_on_what_is_ready();
    if (const int needed = levels_needed(); needed > levels_) {
        declare_levels(needed);
    } else if (!waiting_.empty()) {
        bind(waiting_.front().delay->destination);
    } else {
        bind_next_overdue();
    }
}

// What is ready leaves when the next question is asked: whoever sends takes in more, which may ask another.
void delays::end_question() {
    go_on();
    ends_.answered();
}

void delays::pass_on_what_is_ready() {
    for (outgoing& each : std::exchange(waiting_, {})) {
        if (each.delay->level < levels_ && bound_.contains(each.delay->destination.to_string())) {
            ends_.ready(std::move(each));
        } else {
            waiting_.push_back(std::move(each));
        }
    }
}

int delays::levels_needed() const {
    int needed = overdue_levels_;
    for (const outgoing& each : waiting_) {
        needed = std::max(needed, each.delay->level + 1);
    }
    return needed;
}

void delays::declare_levels(int up_to) {
    asking_ = std::make_shared<declaration>(
        *connection_, options_.operation_timeout, [this, up_to, round = round_](const std::exception_ptr& failure) {
            asking_.reset();
            if (failure) {
                overdue_levels_ = 0;
                overdue_.clear();
                std::vector<outgoing> all = std::exchange(waiting_, {});
                for (outgoing& each : all) {
                    ends_.impossible(std::move(each), {.status = send_status::failed, .error = failure});
                }
            } else if (round == round_) {
                levels_ = up_to;
                levels_ever_ = std::max(levels_ever_, up_to);
            }
            end_question();
        });
    asking_->plan(plan_for_delays(levels_, up_to, options_));
    asking_->complete();
}

void delays::bind(const address& destination) {
    asking_ = std::make_shared<declaration>(*connection_, options_.operation_timeout,
                                            [this, destination, round = round_](const std::exception_ptr& failure) {
                                                asking_.reset();
                                                if (failure) {
                                                    refused(destination, failure);
                                                } else if (round == round_) {
                                                    const std::string name = destination.to_string();
                                                    bound_.insert(name);
                                                    bound_ever_.try_emplace(name, destination);
                                                }
                                                end_question();
                                            });
    asking_->bind(plan_for_delivery(destination, options_));
    asking_->complete();
}

void delays::bind_next_overdue() {
    while (!overdue_.empty()) {
        const address next = std::move(overdue_.back());
        overdue_.pop_back();
        if (!bound_.contains(next.to_string())) {
            return bind(next);
        }
    }
}

void delays::refused(const address& destination, const std::exception_ptr& why) {
    const std::string answer = summary_of(why).text;
    send_outcome told{.status = send_status::failed, .error = why};
    if (is_missing(destination, answer)) {
        told = {.status = send_status::unroutable, .error = nullptr};
        bound_ever_.erase(destination.to_string());
    } else if (is_missing(address::exchange(names_.delivery()), answer)) {
        told.error = std::make_exception_ptr(
            transport_error{"what delays messages was missing at the broker; it is declared again"});
        want_all_again();
    }
    for (outgoing& each : std::exchange(waiting_, {})) {
        if (each.delay->destination == destination) {
            ends_.impossible(std::move(each), told);
        } else {
            waiting_.push_back(std::move(each));
        }
    }
}

} // namespace ferry::amqp

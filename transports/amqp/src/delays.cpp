#include "delays.hpp"

#include "refusal.hpp"

#include <ferry/exception_summary.hpp>

#include <algorithm>
#include <utility>

namespace ferry::amqp {

delays::delays(const transport_options& options, outcome ends)
    : options_{options}, ends_{std::move(ends)}, names_{names_of_delays(options)} {}

void delays::prepare(outgoing message, wanted what) {
    waiting_.push_back({std::move(message), std::move(what)});
    go_on();
}

void delays::connected(connection& fresh) {
    connection_ = &fresh;
    go_on();
}

void delays::disconnected() {
    connection_ = nullptr;
    asking_.reset();
    levels_ = 0;
    bound_.clear();
}

void delays::take_late(std::chrono::steady_clock::time_point now, std::vector<outgoing>& late) {
    for (waiting_message& each : std::exchange(waiting_, {})) {
        if (each.message.deadline <= now) {
            late.push_back(std::move(each.message));
        } else {
            waiting_.push_back(std::move(each));
        }
    }
}

void delays::stop(std::vector<outgoing>& waiting) {
    disconnected();
    for (waiting_message& each : std::exchange(waiting_, {})) {
        waiting.push_back(std::move(each.message));
    }
}

// One question at a time: the next one is asked when it has been answered.
void delays::go_on() {
    if (asking_ || connection_ == nullptr) {
        return;
    }
    for (waiting_message& each : std::exchange(waiting_, {})) {
        if (each.what.level < levels_ && bound_.contains(each.what.destination.to_string())) {
            ends_.ready(std::move(each.message));
        } else {
            waiting_.push_back(std::move(each));
        }
    }
    if (waiting_.empty()) {
        return;
    }
    const auto highest = std::ranges::max_element(waiting_, {}, [](const auto& each) { return each.what.level; });
    if (highest->what.level >= levels_) {
        declare_levels(highest->what.level + 1);
    } else {
        bind(waiting_.front().what.destination);
    }
}

void delays::declare_levels(int up_to) {
    asking_ = std::make_shared<declaration>(
        *connection_, options_.operation_timeout, [this, up_to](const std::exception_ptr& failure) {
            asking_.reset();
            if (failure) {
                std::vector<waiting_message> all = std::exchange(waiting_, {});
                for (waiting_message& each : all) {
                    ends_.impossible(std::move(each.message), {.status = send_status::failed, .error = failure});
                }
            } else {
                levels_ = up_to;
            }
            go_on();
        });
    asking_->plan(plan_for_delays(levels_, up_to, options_));
    asking_->complete();
}

void delays::bind(const address& destination) {
    asking_ = std::make_shared<declaration>(*connection_, options_.operation_timeout,
                                            [this, destination](const std::exception_ptr& failure) {
                                                asking_.reset();
                                                if (failure) {
                                                    refused(destination, failure);
                                                } else {
                                                    bound_.insert(destination.to_string());
                                                }
                                                go_on();
                                            });
    asking_->bind(plan_for_delivery(destination, options_));
    asking_->complete();
}

void delays::refused(const address& destination, const std::exception_ptr& why) {
    const std::string answer = summary_of(why).text;
    const bool missing = answer.contains("NOT_FOUND") && is_permanent(answer);
    const send_outcome told = missing ? send_outcome{.status = send_status::unroutable, .error = nullptr}
                                      : send_outcome{.status = send_status::failed, .error = why};
    for (waiting_message& each : std::exchange(waiting_, {})) {
        if (each.what.destination == destination) {
            ends_.impossible(std::move(each.message), told);
        } else {
            waiting_.push_back(std::move(each));
        }
    }
}

} // namespace ferry::amqp

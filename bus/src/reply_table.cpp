#include "reply_table.hpp"

#include <utility>

namespace ferry {

bool reply_table::expect(const uuid& correlation_id, const std::string& message, duration timeout,
                         reply_callback on_reply) {
    if (add(correlation_id, message, timeout, on_reply)) {
        return true;
    }
    on_reply(std::make_exception_ptr(too_many_requests{message, most_}), nullptr);
    return false;
}

bool reply_table::add(const uuid& correlation_id, const std::string& message, duration timeout,
                      reply_callback& on_reply) {
    const std::scoped_lock lock{mutex_};
    if (waiting_.size() >= most_) {
        return false;
    }
    const auto deadline = timers_.at(later(now_(), timeout), [this, correlation_id, &message, timeout] {
        fail(correlation_id, std::make_exception_ptr(request_timeout{correlation_id, message, timeout}));
    });
    waiting_.emplace(correlation_id, waiting{std::move(on_reply), deadline});
    return true;
}

bool reply_table::complete(const envelope& reply) {
    auto on_reply = take(reply.correlation_id);
    if (!on_reply) {
        return false;
    }
    (*on_reply)(nullptr, &reply);
    return true;
}

void reply_table::fail(const uuid& correlation_id, const std::exception_ptr& reason) {
    if (auto on_reply = take(correlation_id)) {
        (*on_reply)(reason, nullptr);
    }
}

void reply_table::fail_all(const std::exception_ptr& reason) {
    std::unordered_map<uuid, waiting> left;
    {
        const std::scoped_lock lock{mutex_};
        left.swap(waiting_);
    }
    for (auto& [id, each] : left) {
        timers_.cancel(each.deadline);
        each.on_reply(reason, nullptr);
    }
}

std::size_t reply_table::size() const {
    const std::scoped_lock lock{mutex_};
    return waiting_.size();
}

std::optional<reply_callback> reply_table::take(const uuid& correlation_id) {
    const std::scoped_lock lock{mutex_};
    const auto found = waiting_.find(correlation_id);
    if (found == waiting_.end()) {
        return std::nullopt;
    }
    timers_.cancel(found->second.deadline);
    reply_callback on_reply = std::move(found->second.on_reply);
    waiting_.erase(found);
    return on_reply;
}

} // namespace ferry

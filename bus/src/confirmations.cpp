#include "confirmations.hpp"

#include <ferry/observer.hpp>

namespace ferry {

send_callback confirmations::expect(const envelope& message) {
    const std::scoped_lock lock{mutex_};
    ++outstanding_;
    return expectation{*this, message};
}

void confirmations::wait() {
    std::unique_lock lock{mutex_};
    all_settled_.wait(lock, [this] { return outstanding_ == 0; });
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void confirmations::answered(const send_outcome& outcome, const envelope& message) {
    const bool unroutable = outcome.status == send_status::unroutable;
    if (unroutable && message.kind == message_kind::reply && lost_reply_ == lost_reply::is_dropped) {
        tell(message, nullptr);
        return settled(nullptr, &late_replies_);
    }
    const std::exception_ptr failure = failure_of(outcome, message.kind, message.message_type, message.destination);
    tell(message, failure);
    settled(failure, unroutable && !failure ? &unrouted_ : nullptr);
}

void confirmations::tell(const envelope& message, const std::exception_ptr& failure) noexcept {
    if (observed_ != nullptr) {
        observed_->left(message, failure);
    }
}

void confirmations::settled(const std::exception_ptr& failure, std::size_t* counted) {
    const std::scoped_lock lock{mutex_};
    if (failure && !failure_) {
        failure_ = failure;
    }
    if (counted != nullptr) {
        ++*counted;
    }
    // Under the lock: as soon as the waiter can see that this was the last, this object may be gone.
    if (--outstanding_ == 0) {
        all_settled_.notify_one();
    }
}

} // namespace ferry

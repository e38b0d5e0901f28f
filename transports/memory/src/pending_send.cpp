#include "pending_send.hpp"

#include <utility>

namespace ferry::memory {

pending_send::pending_send(std::shared_ptr<session> owner, send_callback on_outcome, std::size_t places)
    : owner_{std::move(owner)}, on_outcome_{std::move(on_outcome)}, places_{places} {
    owner_->send_waits();
}

void pending_send::settle_place(std::exception_ptr error) {
    {
        const std::lock_guard lock{mutex_};
        if (error) {
            outcome_ = {send_status::failed, std::move(error)};
        }
        if (--places_ > 0) {
            return;
        }
    }
    std::exchange(on_outcome_, {})(std::move(outcome_));
    owner_->send_done();
}

} // namespace ferry::memory

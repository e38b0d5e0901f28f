#pragma once

#include "session.hpp"

#include <ferry/transport.hpp>

#include <cstddef>
#include <memory>
#include <mutex>

namespace ferry::memory {

/// A send that did not find room everywhere: calls back once each of its places has been settled.
class pending_send {
public:
    pending_send(std::shared_ptr<session> owner, send_callback on_outcome, std::size_t places);

    void place_taken() { settle_place({}); }
    void place_failed(std::exception_ptr error) { settle_place(std::move(error)); }

    [[nodiscard]] const session* owner() const noexcept { return owner_.get(); }

private:
    void settle_place(std::exception_ptr error);

    std::shared_ptr<session> owner_;
    send_callback on_outcome_;
    std::mutex mutex_;
    std::size_t places_;
    send_outcome outcome_;
};

} // namespace ferry::memory

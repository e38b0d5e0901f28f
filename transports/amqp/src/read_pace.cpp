#include "read_pace.hpp"

#include <algorithm>

namespace ferry::amqp {

void arrival_rate::note(std::size_t messages, moment now) noexcept {
    counted_ += messages;
    const auto passed = now - since_;
    if (passed >= std::chrono::milliseconds{1}) {
        a_second_ = static_cast<double>(counted_) / std::chrono::duration<double>{passed}.count();
        counted_ = 0;
        since_ = now;
    }
}

void read_pace::include(const arrival_rate& rate, std::size_t prefetch) noexcept {
    if (rate.a_second() > 0) {
        together_ += rate.a_second();
        seconds_ = std::min(seconds_, static_cast<double>(prefetch) / 8 / rate.a_second());
    }
}

std::chrono::microseconds read_pace::pause() const noexcept {
    if (together_ * seconds_ < worth_a_pause) {
        return std::chrono::microseconds::zero();
    }
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::duration<double>{seconds_});
}

} // namespace ferry::amqp

#pragma once

#include "pending_send.hpp"

#include <ferry/packed_envelope.hpp>
#include <ferry/time.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace ferry::memory {

/// The sends that wait for room in one full queue, first come first served.
class waiting_room {
public:
    struct guest {
        packed_envelope message;
        std::shared_ptr<pending_send> send;
        time_point deadline;
    };
    using sends = std::vector<std::shared_ptr<pending_send>>;

    void enter(guest next) { guests_.push_back(std::move(next)); }
    [[nodiscard]] guest take_first();
    /// Those whose deadline has passed.
    [[nodiscard]] sends take_late(time_point now);
    [[nodiscard]] sends take_all_of(const session& owner);
    [[nodiscard]] sends take_all();

    [[nodiscard]] bool empty() const noexcept { return guests_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return guests_.size(); }
    [[nodiscard]] const guest& first() const { return guests_.front(); }

private:
    template <typename Condition> [[nodiscard]] sends take_if(Condition leaves);

    std::deque<guest> guests_;
};

} // namespace ferry::memory

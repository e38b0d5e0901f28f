#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace ferry::scenarios {

/// The moments in the life of a message at which a service can be hit.
enum class moment : unsigned char {
    after_claim,
    in_handler,
    before_commit,
    after_commit,
    before_acknowledge,
    after_send,     ///< the transport has it, and no confirm has come
    before_confirm, ///< the broker has confirmed it, and the relay has not heard of it
    before_delete   ///< the relay has heard of it, and the row is still there
};

[[nodiscard]] std::string_view to_string(moment when) noexcept;
[[nodiscard]] std::optional<moment> parse_moment(std::string_view text) noexcept;

/// What happens to a service once, when it passes a certain moment for the third time: by then it has done something
/// that must stay, and is in the middle of more.
class fault_plan {
public:
    fault_plan() = default;
    fault_plan(moment when, std::function<void()> strike) : when_{when}, strike_{std::move(strike)} {}

    void pass(moment now) {
        if (when_ == now && ++passed_ == 3) {
            strike_();
        }
    }

private:
    std::optional<moment> when_;
    std::function<void()> strike_;
    std::atomic<int> passed_{0};
};

} // namespace ferry::scenarios

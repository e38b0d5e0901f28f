#include "fault_plan.hpp"

#include <array>

namespace ferry::scenarios {

namespace {

struct named_moment {
    moment when;
    std::string_view name;
};

constexpr std::array moments{named_moment{moment::after_claim, "after_claim"},
                             named_moment{moment::in_handler, "in_handler"},
                             named_moment{moment::before_commit, "before_commit"},
                             named_moment{moment::after_commit, "after_commit"},
                             named_moment{moment::before_acknowledge, "before_acknowledge"},
                             named_moment{moment::after_send, "after_send"},
                             named_moment{moment::before_confirm, "before_confirm"},
                             named_moment{moment::before_delete, "before_delete"}};

} // namespace

std::string_view to_string(moment when) noexcept {
    for (const named_moment& each : moments) {
        if (each.when == when) {
            return each.name;
        }
    }
    return {};
}

std::optional<moment> parse_moment(std::string_view text) noexcept {
    for (const named_moment& each : moments) {
        if (each.name == text) {
            return each.when;
        }
    }
    return std::nullopt;
}

} // namespace ferry::scenarios

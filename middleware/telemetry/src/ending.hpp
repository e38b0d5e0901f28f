#pragma once

#include <ferry/receive_context.hpp>

namespace ferry::telemetry {

/// How a delivery ends whose stages have said this, or have thrown: what they could not deal with goes back.
[[nodiscard]] inline settlement ending_of(const receive_context& message, bool has_thrown) noexcept {
    return has_thrown ? settlement::returned : message.settled().value_or(settlement::handled);
}

} // namespace ferry::telemetry

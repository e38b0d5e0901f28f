#pragma once

namespace ferry::middleware {

/// A chance between -1 and 1 for the jitter of a delay.
[[nodiscard]] double jitter();

} // namespace ferry::middleware

#pragma once

#include <ferry/store.hpp>

#include <algorithm>
#include <cstddef>

namespace ferry {

/// How many rows a relay takes at once: as many as it may, and fewer where rows are large, so that none are locked that
/// do not fit. It goes by the rows of the last batch, and begins with few.
class batch_size {
public:
    static constexpr std::size_t first = 16;

    explicit batch_size(std::size_t most) noexcept : most_{most}, next_{std::min(most, first)} {}

    [[nodiscard]] std::size_t next() const noexcept { return next_; }

    /// A batch had that many rows, of so many bytes together.
    void took(std::size_t rows, std::size_t bytes) noexcept {
        if (rows == 0) {
            return;
        }
        const std::size_t average = std::max<std::size_t>(bytes / rows, 1);
        const std::size_t fit = std::max<std::size_t>(outbox_batch_bytes / average, 1);
        next_ = std::min({most_, fit, next_ * 4});
    }

private:
    std::size_t most_;
    std::size_t next_;
};

} // namespace ferry

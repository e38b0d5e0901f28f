#include <ferry/buffer.hpp>

#include <algorithm>

namespace ferry {

void buffer::grow(std::size_t size) {
    const std::size_t wanted = std::max({size, capacity_ * 2, std::size_t{256}});
    auto larger = std::make_unique_for_overwrite<char[]>(wanted + padding);
    if (size_ > 0) {
        std::memcpy(larger.get(), data_.get(), size_);
    }
    // Readers may look at the padding; what they see there must at least be initialised.
    std::memset(larger.get() + wanted, 0, padding);
    data_ = std::move(larger);
    capacity_ = wanted;
}

} // namespace ferry

#include "parameters.hpp"

#include <bit>
#include <cstring>

namespace ferry::postgres {

namespace {

template <typename Integer> Integer in_network_order(Integer value) noexcept {
    return std::endian::native == std::endian::little ? std::byteswap(value) : value;
}

template <typename Integer> void append(std::string& bytes, Integer value) {
    const Integer ordered = in_network_order(value);
    bytes.append(reinterpret_cast<const char*>(&ordered), sizeof ordered);
}

} // namespace

std::vector<const char*> parameters::values() const {
    std::vector<const char*> pointers;
    pointers.reserve(begins_.size());
    for (const std::size_t each : begins_) {
        pointers.push_back(bytes_.data() + each);
    }
    return pointers;
}

std::vector<int> parameters::lengths() const {
    std::vector<int> sizes;
    sizes.reserve(begins_.size());
    for (std::size_t i = 0; i < begins_.size(); ++i) {
        const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] : bytes_.size();
        sizes.push_back(static_cast<int>(end - begins_[i]));
    }
    return sizes;
}

void parameters::put(std::int16_t value) { append(bytes_, value); }
void parameters::put(std::int32_t value) { append(bytes_, value); }
void parameters::put(std::int64_t value) { append(bytes_, value); }

void parameters::put(const uuid& value) {
    bytes_.append(reinterpret_cast<const char*>(value.bytes().data()), value.bytes().size());
}

void parameters::put_array_head(element type, std::size_t count) {
    put(std::int32_t{1}); // one dimension
    put(std::int32_t{1}); // there may be nulls
    put(static_cast<std::int32_t>(type));
    put(static_cast<std::int32_t>(count));
    put(std::int32_t{1}); // the first index
}

void parameters::fill_in_length(std::size_t head) {
    const auto length = in_network_order(static_cast<std::int32_t>(bytes_.size() - head - sizeof(std::int32_t)));
    std::memcpy(bytes_.data() + head, &length, sizeof length);
}

} // namespace ferry::postgres

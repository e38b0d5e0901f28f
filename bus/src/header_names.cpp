#include <ferry/header_names.hpp>
#include <ferry/headers.hpp>

#include <algorithm>
#include <limits>

namespace ferry {

int count_in(const headers& all, std::string_view name) noexcept {
    const header_value* value = all.find(name);
    const std::int64_t* count = value == nullptr ? nullptr : value->as<std::int64_t>();
    return count == nullptr ? 0
                            : static_cast<int>(std::clamp<std::int64_t>(*count, 0, std::numeric_limits<int>::max()));
}

} // namespace ferry

#pragma once

#include <cstddef>
#include <cstdint>

namespace ferry {

/// What a reader does about a field that the JSON does not have.
enum class when_missing : std::uint8_t {
    keep_default, ///< the member gets the value a new object has
    fail,         ///< the message is refused, unless the member is a std::optional
};

/// How JSON is read and written: the choices of a json_codec, and the limits at the edge.
struct json_policy {
    when_missing missing_fields = when_missing::keep_default;
    std::size_t max_depth = 64;
    std::size_t max_size = 16 * 1024 * 1024;
};

} // namespace ferry

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ferry {

enum class json_step_kind : std::uint8_t { none, field, key, element };

/// One step from a value to one inside it: the field `.quantity`, the element `[3]`, or the entry `{3}` of a map, whose
/// key is what somebody sent and not for the log. Steps are kept while a message is read or written, and become text
/// only when something is wrong with it.
struct json_step {
    json_step_kind kind = json_step_kind::none;
    std::string_view text{};
    std::size_t index = 0;
    const json_step* outer = nullptr;
};

/// Appends the step to a path such as `lines[3]`.
void append_step(std::string& path, const json_step& step);

} // namespace ferry

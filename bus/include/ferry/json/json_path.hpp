#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ferry {

enum class json_step_kind : std::uint8_t { none, field, key, element };

/// One step from a value to one inside it: `.quantity`, `["eur"]` or `[3]`. Steps are kept while a message is read or
/// written, and become text only when something is wrong with it.
struct json_step {
    json_step_kind kind = json_step_kind::none;
    std::string_view text{};
    std::size_t index = 0;
    const json_step* outer = nullptr;
};

/// Appends the step to a path such as `lines[3]`.
void append_step(std::string& path, const json_step& step);

/// The text, or as much of its beginning as fits into an error.
[[nodiscard]] std::string json_excerpt(std::string_view text);

} // namespace ferry

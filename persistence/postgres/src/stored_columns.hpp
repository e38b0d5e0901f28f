#pragma once

#include "parameters.hpp"

#include <ferry/store.hpp>

#include <span>

namespace ferry::postgres {

/// Messages as the statements `append` and `schedule` take them: an array for each column.
[[nodiscard]] parameters stored_columns(std::span<const stored_message> messages);

/// Texts that others wrote, an exception's say, in a form any database takes: valid UTF-8, without zeros, not too long.
[[nodiscard]] std::string storable_text(std::string_view text);

} // namespace ferry::postgres

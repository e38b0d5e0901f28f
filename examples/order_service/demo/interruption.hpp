#pragma once

namespace shop {

/// From here on SIGINT and SIGTERM are noted; a second one ends the process at once.
void note_interruptions();
[[nodiscard]] bool is_interrupted();

} // namespace shop

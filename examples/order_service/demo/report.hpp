#pragma once

#include "books.hpp"
#include "status.hpp"

#include <string>
#include <vector>

namespace shop {

/// What a run came to.
struct outcome {
    totals sums;
    std::vector<std::string> complaints; ///< of the books, and of the run itself
    double seconds = 0;
};

/// Prints the table at the end, and whether the books balance. Returns the exit code of the program.
[[nodiscard]] int report(const outcome& all, const status_board& board);

} // namespace shop

#pragma once

#include "books.hpp"
#include "status.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace shop {

/// What a person sees while it runs: a table that is drawn over on a terminal with room for it, a line
/// now and then elsewhere.
class view {
public:
    /// `orders`: how many there will be; 0 when nobody knows.
    explicit view(int orders);

    void show(const totals& sums, const status_board& board);
    /// Something that happened, to stay on the screen.
    void tell(const std::string& event);
    /// Draws it a last time.
    void finish(const totals& sums, const status_board& board);

    [[nodiscard]] double seconds() const;

private:
    using clock = std::chrono::steady_clock;

    void draw(const totals& sums, const status_board& board);
    void measure(const status_board& board);
    void draw_table(const totals& sums, const status_board& board, std::size_t columns);
    [[nodiscard]] std::string table(const totals& sums, const status_board& board) const;
    void print_line(const totals& sums, const status_board& board) const;
    void erase_table();

    int orders_;
    int lines_on_screen_ = 0;
    clock::time_point begun_ = clock::now();
    clock::time_point shown_ = {};
    clock::time_point measured_ = clock::now();
    std::uint64_t messages_ = 0;
    double messages_a_second_ = 0;
};

} // namespace shop

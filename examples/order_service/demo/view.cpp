#include "view.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <format>
#include <iostream>
#include <sstream>

namespace shop {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t bar_width = 40;
const std::array<std::string, 4> services{"orders", "billing", "shipping", "carrier"};
constexpr int table_lines = 7 + static_cast<int>(services.size());

/// The width of the terminal; 0 when there is none, when it does not say, or when the table is too high for it. What
/// has left a terminal at its top cannot be drawn over.
std::size_t columns_for_table() {
    ::winsize size{};
    const bool fits = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > table_lines;
    return fits ? size.ws_col : 0;
}

std::string bar(std::int64_t part, std::int64_t whole) {
    const auto full = whole <= 0 ? 0
                                 : bar_width * static_cast<std::size_t>(std::clamp(part, 0L, whole)) /
                                       static_cast<std::size_t>(whole);
    return std::string(full, '#') + std::string(bar_width - full, '.');
}

std::string row_of(const std::string& service, const status_board& board) {
    const service_counts counts = board.counts_of(service);
    return std::format("{:<9}{:>9}{:>9}{:>13}{:>6}{:>12}{:>9}{:>8}", service, counts.handled, counts.retries,
                       counts.redelivered, counts.dead_letters, counts.duplicates, counts.expired,
                       board.latest(service).outbox);
}

} // namespace

view::view(int orders) : orders_{orders} {}

double view::seconds() const { return std::chrono::duration<double>(clock::now() - begun_).count(); }

void view::show(const totals& sums, const status_board& board) {
    if (clock::now() - shown_ < (columns_for_table() > 0 ? 100ms : 2000ms)) {
        return;
    }
    draw(sums, board);
}

void view::finish(const totals& sums, const status_board& board) { draw(sums, board); }

void view::tell(const std::string& event) {
    erase_table();
    std::cout << std::format("{:7.1f} s  {}\n", seconds(), event) << std::flush;
}

void view::draw(const totals& sums, const status_board& board) {
    shown_ = clock::now();
    measure(board);
    erase_table();
    if (const std::size_t columns = columns_for_table(); columns > 0) {
        draw_table(sums, board, columns);
    } else {
        print_line(sums, board);
    }
    std::cout << std::flush;
}

void view::measure(const status_board& board) {
    const double passed = std::chrono::duration<double>(clock::now() - measured_).count();
    if (passed < 0.5) {
        return;
    }
    const std::uint64_t now = board.counts_of_all().handled;
    messages_a_second_ = static_cast<double>(now - std::min(now, messages_)) / passed;
    messages_ = now;
    measured_ = clock::now();
}

void view::erase_table() {
    for (; lines_on_screen_ > 0; --lines_on_screen_) {
        std::cout << "\033[A\033[2K"; // up a line, and clear it
    }
}

// A line that is too long is cut: one that went on below would be a line more than is erased.
void view::draw_table(const totals& sums, const status_board& board, std::size_t columns) {
    std::istringstream lines{table(sums, board)};
    for (std::string line; std::getline(lines, line); ++lines_on_screen_) {
        std::cout << line.substr(0, columns) << '\n';
    }
}

std::string view::table(const totals& sums, const status_board& board) const {
    const std::int64_t expected = std::max<std::int64_t>(orders_, sums.orders);
    std::string text =
        std::format("\n  [{}] {} of {} orders settled\n", bar(sums.settled, expected), sums.settled, expected) +
        std::format("  {:.1f} s, {:.0f} messages a second\n\n", seconds(), messages_a_second_) +
        std::format("  orders {}   invoices {}   shipments {}   refused {}   express {}\n\n", sums.orders,
                    sums.invoices, sums.shipments, sums.refused, sums.express) +
        "  service    handled  retries  redelivered  dead  duplicates  expired  outbox\n";
    for (const std::string& service : services) {
        text += "  " + row_of(service, board) + "\n";
    }
    return text;
}

void view::print_line(const totals& sums, const status_board& board) const {
    const service_counts all = board.counts_of_all();
    std::uint64_t outbox = 0;
    for (const std::string& service : services) {
        outbox += board.latest(service).outbox;
    }
    std::cout << std::format(
        "{:7.1f} s  {} orders, {} invoices, {} shipments, {} refused; {} retries, {} redeliveries, "
        "{} dead letters, {} duplicates dropped, {} in outboxes, {:.0f} messages a second\n",
        seconds(), sums.orders, sums.invoices, sums.shipments, sums.refused, all.retries, all.redelivered,
        all.dead_letters, all.duplicates, outbox, messages_a_second_);
}

} // namespace shop

#pragma once

#include "books.hpp"
#include "options.hpp"
#include "report.hpp"
#include "status.hpp"
#include "view.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace shop {

/// Follows a run from a bus of its own: shows it, closes the shop when the orders are there or somebody interrupts,
/// and waits until everything is settled.
class watch {
public:
    watch(const wiring& at, const options& chosen, const ferry::log_function& log);

    /// Returns when all is settled. Throws when that cannot be expected any more. `also` is called several times a
    /// second, with what the books say.
    void until_settled(const std::function<void(const totals&)>& also);
    /// Ends by looking into the books.
    [[nodiscard]] int report();

    [[nodiscard]] view& screen() { return screen_; }
    [[nodiscard]] const status_board& board() const { return board_; }

private:
    void step();
    void tell_news();
    void close_shop(const std::string& event);
    void ask_to_close();
    [[nodiscard]] bool is_closing() const { return !closing_because_.empty(); }
    [[nodiscard]] bool is_closed() const;
    [[nodiscard]] bool is_settled() const;
    [[nodiscard]] totals look() const;
    void note_progress(const totals& sums);
    void wait_for_last_words();

    options chosen_;
    books books_;
    status_board board_;
    ferry::bus bus_;
    view screen_;
    totals last_sums_;
    std::chrono::steady_clock::time_point last_progress_ = std::chrono::steady_clock::now();
    int known_port_ = 0;
    std::map<std::int64_t, std::int32_t> known_news_; ///< how much of it, by process
    std::string closing_because_;                     ///< empty while the shop is open
    std::chrono::steady_clock::time_point asked_to_close_ = {};
};

} // namespace shop

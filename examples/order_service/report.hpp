#pragma once

#include "ledger.hpp"

#include <ferry/counters.hpp>

#include <chrono>
#include <string>

namespace shop {

/// Shows how far the run is: a bar that is drawn over on a terminal, a line now and then elsewhere.
class progress {
public:
    explicit progress(int orders);

    void show(const ledger& books);
    void finish(const ledger& books);

private:
    void draw(const ledger::totals& now);

    int orders_;
    bool terminal_;
    std::chrono::steady_clock::time_point shown_;
};

/// What a run came to, as told by those who must agree: the books of the services, and the bus.
struct outcome {
    ledger::totals books;
    std::string wrong_order; ///< one whose books are not right, if there is one
    std::size_t price_lists = 0;
    ferry::bus_counts bus;
    std::chrono::duration<double> taken{};
};

/// Prints it and says whether they agree. Returns the exit code of the program.
[[nodiscard]] int report(const outcome& all);

} // namespace shop

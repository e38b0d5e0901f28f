// A shop in one process: orders are published, billing invoices them, shipping asks for a label and ships.
// Look at: main only wires; services.cpp is what a service's own code looks like.

#include "ledger.hpp"
#include "messages.hpp"
#include "services.hpp"

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <iostream>
#include <optional>
#include <random>
#include <string_view>

namespace {

using namespace std::chrono_literals;

struct options {
    int orders = 20'000;
    double failure_rate = 0.02;
    unsigned seed = 1;
    bool help = false;
};

constexpr std::string_view help_text = R"(order_service: a shop of three services on one message bus, in one process

  --orders N         how many orders are placed (default 20000)
  --failure-rate R   the share of orders whose payment is refused, 0 to 1 (default 0.02)
  --seed N           makes the run repeatable (default 1)
  --help             this text

It ends with a table and a check that the books balance; the exit code is 1 when they do not.
)";

template <typename Number> bool parse(std::string_view text, Number& into) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), into);
    return failure == std::errc{} && end == text.data() + text.size();
}

bool read_value(std::string_view name, std::string_view value, options& chosen) {
    if (name == "--orders") {
        return parse(value, chosen.orders) && chosen.orders > 0;
    }
    if (name == "--failure-rate") {
        return parse(value, chosen.failure_rate) && chosen.failure_rate >= 0 && chosen.failure_rate <= 1;
    }
    return name == "--seed" && parse(value, chosen.seed);
}

std::optional<options> read_options(int count, char** words) {
    options chosen;
    for (int i = 1; i < count; i += 2) {
        const std::string_view name = words[i];
        const std::string_view value = i + 1 < count ? words[i + 1] : "";
        if (name == "--help" || name == "-h") {
            chosen.help = true;
            return chosen;
        }
        if (!read_value(name, value, chosen)) {
            std::cerr << "order_service: cannot use '" << name << (value.empty() ? "" : " ") << value
                      << "'; --help lists the options\n";
            return std::nullopt;
        }
    }
    return chosen;
}

/// Shows how far the run is: a bar that is drawn over on a terminal, a line now and then elsewhere.
class progress {
public:
    explicit progress(int orders) : orders_{orders}, terminal_{isatty(STDOUT_FILENO) == 1} {}

    void show(const shop::ledger::totals& now) {
        const auto present = std::chrono::steady_clock::now();
        if (present - shown_ < (terminal_ ? 100ms : 2000ms)) {
            return;
        }
        shown_ = present;
        draw(now);
    }
    void finish(const shop::ledger::totals& now) {
        draw(now);
        std::cout << (terminal_ ? "\n" : "");
    }

private:
    void draw(const shop::ledger::totals& now) {
        const std::size_t ended = now.shipments + now.refusals;
        const std::size_t width = 30 * ended / static_cast<std::size_t>(orders_);
        std::cout << (terminal_ ? "\r" : "") << '[' << std::string(width, '#') << std::string(30 - width, '.') << "] "
                  << now.orders << " orders, " << now.invoices << " invoices, " << now.shipments << " shipments, "
                  << now.refusals << " refused" << (terminal_ ? "   " : "\n") << std::flush;
    }

    int orders_;
    bool terminal_;
    std::chrono::steady_clock::time_point shown_;
};

shop::order_placed random_order(int number, double failure_rate, std::mt19937& random) {
    shop::order_placed order{.order_id = "order-" + std::to_string(number), .lines = {}, .placed_at = {}};
    order.placed_at = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    if (std::bernoulli_distribution{failure_rate}(random)) {
        return order;
    }
    const int lines = std::uniform_int_distribution{1, 4}(random);
    for (int i = 0; i < lines; ++i) {
        order.lines.push_back({"article-" + std::to_string(random() % 100), std::uniform_int_distribution{1, 5}(random),
                               std::uniform_int_distribution{99, 9999}(random)});
    }
    return order;
}

void place_orders(ferry::bus& bus, shop::ledger& books, const options& chosen, progress& bar) {
    std::mt19937 random{chosen.seed};
    for (int number = 1; number <= chosen.orders; ++number) {
        const shop::order_placed order = random_order(number, chosen.failure_rate, random);
        std::int64_t cents = 0;
        for (const shop::order_line& line : order.lines) {
            cents += line.quantity * line.price_cents;
        }
        books.ordered(order.order_id, cents);
        bus.publish(order);
        bar.show(books.sum());
    }
}

int report(const shop::ledger& books, std::chrono::duration<double> taken, std::size_t dead_letters) {
    const shop::ledger::totals all = books.sum();
    std::cout << "\n  orders        " << all.orders << "\n  invoices      " << all.invoices << "\n  shipments     "
              << all.shipments << "\n  refused       " << all.refusals << "\n  dead letters  " << dead_letters
              << "\n  ordered       " << all.ordered_cents / 100 << "." << all.ordered_cents % 100 / 10
              << all.ordered_cents % 10 << "\n  invoiced      " << all.invoiced_cents / 100 << "."
              << all.invoiced_cents % 100 / 10 << all.invoiced_cents % 10 << "\n  seconds       " << taken.count()
              << "\n\n";
    if (const std::string wrong = books.first_error(); !wrong.empty()) {
        std::cout << "the books do not balance: look at " << wrong << '\n';
        return 1;
    }
    if (dead_letters != all.refusals) {
        std::cout << "the books do not balance: " << all.refusals << " refusals, but " << dead_letters
                  << " dead letters\n";
        return 1;
    }
    std::cout << "the books balance: every order has one invoice and one shipment, or was refused and is in the error "
                 "queue\n";
    return 0;
}

int run(const options& chosen) {
    const auto broker = std::make_shared<ferry::memory::broker>();
    shop::ledger books;
    ferry::bus_builder builder{"shop"};
    builder.transport(ferry::memory::transport{broker});
    builder.log([](ferry::log_level, std::string_view) {}); // refusals are expected here; the table counts them
    shop::add_billing(builder, books);
    shop::add_shipping(builder, books);
    shop::add_label_printer(builder);
    ferry::bus bus = builder.build();

    const auto begin = std::chrono::steady_clock::now();
    bus.start();
    progress bar{chosen.orders};
    place_orders(bus, books, chosen, bar);
    while (!books.complete()) {
        books.wait_for_news(100ms);
        bar.show(books.sum());
    }
    bus.stop();
    bar.finish(books.sum());
    return report(books, std::chrono::steady_clock::now() - begin, broker->depth("shop.invoice-order_error"));
}

} // namespace

int main(int count, char** words) {
    const auto chosen = read_options(count, words);
    if (!chosen) {
        return 2;
    }
    if (chosen->help) {
        std::cout << help_text;
        return 0;
    }
    try {
        return run(*chosen);
    } catch (const std::exception& failure) {
        std::cerr << "order_service: " << failure.what() << '\n';
        return 1;
    }
}

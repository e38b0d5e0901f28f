// A shop in one process, over memory or RabbitMQ: orders are published, billing invoices them, shipping asks for a
// label and ships. Look at: main only wires; services.cpp is what a service's own code looks like, and its policy says
// what becomes of orders that the bank does not pay for at once.

#include "ledger.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "report.hpp"
#include "services.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/otlp/session.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>

namespace {

using namespace std::chrono_literals;

shop::card random_card(double failure_rate, std::mt19937& random) {
    const auto happens = [&](double share) { return std::bernoulli_distribution{share}(random); };
    return happens(failure_rate) ? shop::card::declined
           : happens(0.02)       ? shop::card::of_a_busy_bank
           : happens(0.005)      ? shop::card::of_a_closed_bank
                                 : shop::card::good;
}

shop::order_placed random_order(int number, double failure_rate, std::mt19937& random) {
    shop::order_placed order;
    order.order_id = "order-" + std::to_string(number);
    order.placed_at = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    order.paid_with = random_card(failure_rate, random);
    const int lines = std::uniform_int_distribution{1, 4}(random);
    for (int i = 0; i < lines; ++i) {
        order.lines.push_back({"article-" + std::to_string(random() % 100), std::uniform_int_distribution{1, 5}(random),
                               std::uniform_int_distribution{99, 9999}(random)});
    }
    return order;
}

/// Places the orders, and now and then sends billing what it has no use for; returns how often.
std::size_t place_orders(ferry::bus& bus, shop::ledger& books, const shop::options& chosen, shop::progress& bar) {
    std::mt19937 random{chosen.seed};
    std::size_t price_lists = 0;
    for (int number = 1; number <= chosen.orders; ++number) {
        const shop::order_placed order = random_order(number, chosen.failure_rate, random);
        books.ordered(order.order_id, total_of(order));
        bus.publish(order);
        if (number % 1000 == 1) {
            bus.send(shop::price_list{"spring"}, {.destination = ferry::address::queue("billing")});
            ++price_lists;
        }
        bar.show(books);
    }
    return price_lists;
}

shop::outcome run(const shop::options& chosen) {
    shop::ledger books;
    ferry::bus_builder builder{"shop"};
    std::optional<ferry::otlp::session> telemetry; // before the bus, so that it tells of its end as well
    if (!chosen.otlp.empty()) {
        setenv("OTEL_EXPORTER_OTLP_ENDPOINT", chosen.otlp.c_str(), 1); // NOLINT(concurrency-mt-unsafe): no thread yet
        telemetry.emplace(builder);
    }
    if (chosen.broker.empty()) {
        builder.transport(ferry::memory::transport{});
    } else {
        builder.transport(ferry::amqp::transport{chosen.broker, {.name = "shop", .give_up_after = 30s}});
    }
    builder.log([](ferry::log_level, std::string_view) {}); // failures are expected here; the report counts them
    shop::add_billing(builder, books);
    shop::add_shipping(builder, books);
    shop::add_label_printer(builder);
    ferry::bus bus = builder.build();

    const auto begin = std::chrono::steady_clock::now();
    bus.start();
    shop::progress bar{chosen.orders};
    const std::size_t price_lists = place_orders(bus, books, chosen, bar);
    while (!books.complete() || bus.counts().skipped < price_lists) {
        books.wait_for_news(100ms);
        bar.show(books);
    }
    bus.stop();
    bar.finish(books);
    return {.books = books.sum(),
            .wrong_order = books.first_error(),
            .price_lists = price_lists,
            .bus = bus.counts(),
            .taken = std::chrono::steady_clock::now() - begin};
}

} // namespace

int main(int count, char** words) {
    const auto chosen = shop::read_options(count, words);
    if (!chosen) {
        return 2;
    }
    if (chosen->help) {
        std::cout << shop::help_text;
        return 0;
    }
    try {
        return shop::report(run(*chosen));
    } catch (const std::exception& failure) {
        std::cerr << "order_service: " << failure.what() << '\n';
        return 1;
    }
}

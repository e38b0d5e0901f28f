#include "generator.hpp"

#include "http_customer.hpp"

#include <chrono>
#include <condition_variable>
#include <format>
#include <mutex>
#include <random>

namespace shop {

using namespace std::chrono_literals;

namespace {

using engine = std::mt19937_64;

card random_card(double failure_rate, engine& random) {
    std::discrete_distribution<int> cards{1 - failure_rate, failure_rate / 3, failure_rate / 3, failure_rate / 3};
    return static_cast<card>(cards(random));
}

/// One customer in twenty takes the express; half of these think about it until the offer is over.
std::optional<moment> random_express(engine& random) {
    const int chance = std::uniform_int_distribution{1, 40}(random);
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    return chance == 1 ? std::optional{now + 1h} : chance == 2 ? std::optional{now - 1s} : std::nullopt;
}

order random_order(const generator_options& options, int number) {
    engine random{options.seed * 1'000'003ULL + static_cast<unsigned>(number)};
    order made{.order_id = std::format("{}-{:06}", options.seed, number),
               .tenant = random() % 2 == 0 ? "north" : "south"};
    made.paid_with = random_card(options.failure_rate, random);
    for (int lines = std::uniform_int_distribution{1, 4}(random); lines > 0; --lines) {
        made.lines.push_back({std::format("article-{}", random() % 100), std::uniform_int_distribution{1, 5}(random),
                              std::uniform_int_distribution{99, 9999}(random)});
    }
    made.express_until = random_express(random);
    return made;
}

/// Waits for the moment, or until it is time to stop.
void wait_until(std::chrono::steady_clock::time_point due, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any nothing;
    std::unique_lock lock{mutex};
    nothing.wait_until(lock, stop, due, [] { return false; });
}

/// Customers try again for a while when the shop has trouble. That does no harm: the order has an id.
template <typename Attempt> void place(const std::stop_token& stop, Attempt attempt) {
    const auto patience = std::chrono::steady_clock::now() + 30s;
    while (true) {
        try {
            return attempt();
        } catch (const std::exception&) {
            if (stop.stop_requested() || std::chrono::steady_clock::now() > patience) {
                throw;
            }
        }
        wait_until(std::chrono::steady_clock::now() + 100ms, stop);
    }
}

} // namespace

void generator::run(const std::stop_token& stop) const {
    http_customer by_http{port_};
    const auto begin = std::chrono::steady_clock::now();
    for (int number = 1; number <= options_.orders && !stop.stop_requested(); ++number) {
        if (options_.rate > 0) {
            wait_until(begin + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::duration<double>{(number - 1) / options_.rate}),
                       stop);
        }
        const order next = random_order(options_, number);
        place(stop, [&] {
            if (number % 10 == 0) {
                by_http.place(next);
            } else {
                desk_.place(*next.order_id, next);
            }
        });
    }
}

} // namespace shop

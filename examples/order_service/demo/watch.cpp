#include "watch.hpp"

#include "interruption.hpp"

#include <stdexcept>
#include <thread>

namespace shop {

using namespace std::chrono_literals;

namespace {

constexpr auto between_looks = 100ms;
constexpr auto between_requests = 1s;
constexpr auto longest_silence = 60s;
constexpr auto longest_last_words = 3s;

ferry::bus build(const wiring& at, status_board& board, const ferry::log_function& log) {
    ferry::bus_builder builder{"watch"};
    builder.transport(at.transport("watch"));
    builder.log(log);
    builder.concurrency_limit(1); // what a service tells comes in its order
    builder.handle<service_status>([&board](const service_status& status) { board.note(status); });
    builder.publishes<closing_time>();
    return builder.build();
}

void refuse_old_books(const totals& sums) {
    if (sums.orders != 0) {
        throw std::runtime_error{"there are books of " + std::to_string(sums.orders) +
                                 " orders from an earlier run; choose a new --folder, or a new --database"};
    }
}

} // namespace

watch::watch(const wiring& at, const options& chosen, const ferry::log_function& log)
    : chosen_{chosen}, books_{at}, bus_{build(at, board_, log)}, screen_{chosen.orders} {
    refuse_old_books(books_.sum());
    bus_.start();
}

void watch::until_settled(const std::function<void(const totals&)>& also) {
    while (!is_settled()) {
        const totals sums = look();
        screen_.show(sums, board_);
        step();
        also(sums);
        note_progress(sums);
        std::this_thread::sleep_for(between_looks);
    }
}

int watch::report() {
    wait_for_last_words();
    const totals sums = books_.sum();
    screen_.finish(sums, board_);
    return shop::report({.sums = sums, .complaints = books_.complaints(), .seconds = screen_.seconds()}, board_);
}

// The shop closes when all customers have been there, or when somebody asks for it.
void watch::step() {
    const service_status orders = board_.latest("orders");
    if (!orders.trouble.empty()) {
        throw std::runtime_error{orders.trouble};
    }
    if (orders.port != 0 && orders.port != known_port_) {
        known_port_ = orders.port;
        screen_.tell("orders are taken at http://127.0.0.1:" + std::to_string(known_port_) + "/orders");
    }
    tell_news();
    if (is_interrupted()) {
        close_shop("no more orders; waiting for those that were placed");
    } else if (chosen_.orders > 0 && orders.process != 0 && !orders.generates) {
        close_shop("all orders are placed");
    }
    if (is_closing() && !is_closed()) {
        ask_to_close();
    }
}

// In one process all services have the same, and it is told once.
void watch::tell_news() {
    for (const std::string service : {"orders", "billing", "shipping"}) {
        const service_status latest = board_.latest(service);
        std::int32_t& known = known_news_[latest.process];
        if (latest.news_number > known) {
            known = latest.news_number;
            screen_.tell(chosen_.real ? service + ": " + latest.news : latest.news);
        }
    }
}

void watch::close_shop(const std::string& event) {
    if (!is_closing()) {
        closing_because_ = event;
        screen_.tell(event);
    }
}

// Until orders has done it: an orders that has yet to start is not there to hear it, and one that was killed forgets.
void watch::ask_to_close() {
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_to_close_ < between_requests) {
        return;
    }
    asked_to_close_ = now;
    bus_.async_publish(closing_time{closing_because_}, {.expires_after = 10s},
                       [](const std::exception_ptr& /*the next one may get through*/) {});
}

bool watch::is_closed() const {
    const service_status orders = board_.latest("orders");
    return orders.process != 0 && !orders.takes_orders;
}

bool watch::is_settled() const { return is_closing() && is_closed() && look().is_all_settled(); }

// A database that is away comes back, or nothing moves.
totals watch::look() const {
    try {
        return books_.sum();
    } catch (const std::exception&) {
        return last_sums_;
    }
}

// An open shop may wait for customers as long as it likes; what is placed must get on.
void watch::note_progress(const totals& sums) {
    const auto now = std::chrono::steady_clock::now();
    const bool idle = sums.is_all_settled() && !is_closing();
    if (idle || sums != last_sums_) {
        last_progress_ = now;
        last_sums_ = sums;
    }
    if (now - last_progress_ > longest_silence) {
        throw std::runtime_error{"nothing has moved for a minute, and " + std::to_string(sums.orders - sums.settled) +
                                 " orders are not settled"};
    }
}

// What was counted last has still to be told.
void watch::wait_for_last_words() {
    const auto patience = std::chrono::steady_clock::now() + longest_last_words;
    for (const char* service : {"orders", "billing", "shipping", "carrier"}) {
        const std::uint64_t until = board_.told_by(service) + 2; // the first may have been on its way
        while (board_.told_by(service) < until && std::chrono::steady_clock::now() < patience) {
            std::this_thread::sleep_for(between_looks / 5);
        }
    }
}

} // namespace shop

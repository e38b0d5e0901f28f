#include "options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <span>

namespace shop {

const std::string_view help_text = R"(order_service: a shop of three services on one message bus

Orders takes orders, from customers it makes up and by HTTP. Billing charges cards through a gateway that has its
moods, and writes invoices. Shipping asks the carrier for a label and ships. At the end the books must balance: each
order has exactly one invoice and one shipment, or was refused, exactly once. If they do not, the exit code is 1.

How much happens:
  --orders N          how many orders are made up (default 20000, or 6000 with --real). With 0 the shop only waits for
                      orders by HTTP, until Ctrl-C
  --rate N            how many of them a second (default 0: as fast as they can be placed)
  --failure-rate R    the share of cards with which something goes wrong, 0 to 1 (default 0.06): a third of them is
                      declined, for a third the gateway is busy for a moment, for a third it is down for a while.
                      The carrier's printer jams for a twentieth as many labels
  --seed N            other orders (default 1); the same number gives the same ones again

Where it happens:
  --port N            where orders are taken by HTTP, on 127.0.0.1 (default: any free port, which is shown)
  --folder PATH       keeps databases and log in this folder, which must have none from before (default: a temporary
                      folder, which is kept only when something was wrong)
  --real              as three processes over RabbitMQ and PostgreSQL. In the middle of it one of them is killed, with
                      SIGKILL, and started again. scripts/demo --real starts both servers for it
  --kill NAME         which one is killed: orders, billing, shipping, or none (default: the seed decides)
  --broker URL        amqp://user:password@host:port/vhost (default: what FERRY_RABBITMQ_URL says)
  --database URL      postgresql://user:password@host:port/database (default: what FERRY_POSTGRES_URL says). The shop
                      uses the schemas orders, billing and shipping
  --otlp URL          tells an OpenTelemetry collector, http://host:4318
  --service NAME      only orders, billing or shipping, in this process, over --broker and --database, until Ctrl-C

Ctrl-C takes no more orders, waits for those that were taken, and reports. Ctrl-C again ends at once.
)";

namespace {

constexpr int not_said = -1;
constexpr int orders_over_servers = 6000; // which take as long as 20,000 in memory

template <typename Number> bool parse(std::string_view text, Number& into) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), into);
    return failure == std::errc{} && end == text.data() + text.size();
}

bool is_one_of(std::string_view value, std::initializer_list<std::string_view> known) {
    return std::ranges::find(known, value) != known.end();
}

bool take(std::string_view value, std::string& into) {
    into = value;
    return !value.empty();
}

/// What each option does with its value; false when it cannot use it.
using setter = std::function<bool(std::string_view, options&)>;
const std::map<std::string_view, setter> setters{
    {"--orders", [](auto value, auto& to) { return parse(value, to.orders) && to.orders >= 0; }},
    {"--rate", [](auto value, auto& to) { return parse(value, to.rate) && to.rate >= 0; }},
    {"--failure-rate",
     [](auto value, auto& to) {
         return parse(value, to.failure_rate) && to.failure_rate >= 0 && to.failure_rate <= 1;
     }},
    {"--seed", [](auto value, auto& to) { return parse(value, to.seed); }},
    {"--port", [](auto value, auto& to) { return parse(value, to.port); }},
    {"--folder", [](auto value, auto& to) { return take(value, to.folder); }},
    {"--broker", [](auto value, auto& to) { return take(value, to.broker); }},
    {"--database", [](auto value, auto& to) { return take(value, to.database); }},
    {"--otlp", [](auto value, auto& to) { return take(value, to.otlp); }},
    {"--kill",
     [](auto value, auto& to) {
         return take(value, to.kill) && is_one_of(value, {"orders", "billing", "shipping", "none"});
     }},
    {"--service",
     [](auto value, auto& to) {
         return take(value, to.service) && is_one_of(value, {"orders", "billing", "shipping"});
     }},
};

bool refuse(const std::string& what) {
    std::cerr << "order_service: " << what << "; --help lists the options\n";
    return false;
}

bool read_words(std::span<char* const> words, options& chosen) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view name = words[i];
        if (name == "--help" || name == "-h") {
            chosen.help = true;
            return true;
        }
        if (name == "--real") {
            chosen.real = true;
            continue;
        }
        const auto known = setters.find(name);
        if (known == setters.end()) {
            return refuse("there is no option '" + std::string{name} + "'");
        }
        const std::string value = i + 1 < words.size() ? words[++i] : "";
        if (!known->second(value, chosen)) {
            return refuse("cannot use '" + std::string{name} + (value.empty() ? "" : " ") + value + "'");
        }
    }
    return true;
}

constexpr auto broker_variable = "FERRY_RABBITMQ_URL";
constexpr auto database_variable = "FERRY_POSTGRES_URL";

void take_from_environment(const char* name, std::string& into) {
    const char* const known = std::getenv(name);
    if (into.empty() && known != nullptr) {
        into = known;
    }
}

bool fit_together(const options& chosen) {
    const bool over_servers = chosen.real || !chosen.service.empty();
    if (over_servers && (chosen.broker.empty() || chosen.database.empty())) {
        return refuse("this needs --broker and --database, or scripts/demo --real, which starts both");
    }
    if (chosen.real && !chosen.service.empty()) {
        return refuse("--real starts all three services, --service only one: choose");
    }
    return true;
}

} // namespace

std::optional<options> read_options(int count, char** words) {
    options chosen{.orders = not_said};
    if (!read_words({words + 1, words + count}, chosen)) {
        return std::nullopt;
    }
    if (chosen.orders == not_said) {
        chosen.orders = chosen.real ? orders_over_servers : options{}.orders;
    }
    if (chosen.real || !chosen.service.empty()) {
        take_from_environment(broker_variable, chosen.broker);
        take_from_environment(database_variable, chosen.database);
    }
    return chosen.help || fit_together(chosen) ? std::optional{chosen} : std::nullopt;
}

// NOLINTBEGIN(concurrency-mt-unsafe): no thread yet
void hand_down_servers(const options& chosen) {
    setenv(broker_variable, chosen.broker.c_str(), 1);
    setenv(database_variable, chosen.database.c_str(), 1);
}
// NOLINTEND(concurrency-mt-unsafe)

} // namespace shop

#include "options.hpp"

#include <charconv>
#include <iostream>

namespace shop {

const std::string_view help_text = R"(order_service: a shop of three services on one message bus, in one process

  --orders N         how many orders are placed (default 20000)
  --failure-rate R   the share of orders whose card is declined, 0 to 1 (default 0.02)
  --seed N           makes the run repeatable (default 1)
  --broker URL       over a RabbitMQ, amqp://user:password@host:port/vhost, instead of in memory
  --otlp URL         tells an OpenTelemetry collector, http://host:4318
  --help             this text

It ends with a table, with what went wrong on the way, and with a check that the books balance; the exit code is 1 when
they do not.
)";

namespace {

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
    if (name == "--broker") {
        chosen.broker = value;
        return !value.empty();
    }
    if (name == "--otlp") {
        chosen.otlp = value;
        return !value.empty();
    }
    return name == "--seed" && parse(value, chosen.seed);
}

} // namespace

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

} // namespace shop

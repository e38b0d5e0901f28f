#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shop {

struct options {
    int orders = 20'000;
    double failure_rate = 0.02;
    unsigned seed = 1;
    std::string broker = {}; ///< the URL of a RabbitMQ; empty: in memory
    std::string otlp = {};   ///< the URL of an OpenTelemetry collector; empty: nobody is told
    bool help = false;
};

extern const std::string_view help_text;

/// None when the words make no sense; standard error says which.
[[nodiscard]] std::optional<options> read_options(int count, char** words);

} // namespace shop

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shop {

struct options {
    int orders = 20'000; ///< are made up; unless they are told, 6000 when it is real
    double rate = 0;     ///< orders a second; 0: as fast as they can be placed
    double failure_rate = 0.06;
    unsigned seed = 1;
    std::uint16_t port = 0;   ///< of the door for orders; 0: any that is free
    std::string folder = {};  ///< for databases and log; empty: a temporary one
    bool real = false;        ///< three processes over servers, and one of them is killed
    std::string service = {}; ///< only this one, in this process
    std::string kill = {};    ///< which one is killed; empty: the seed decides
    std::string broker = {};
    std::string database = {};
    std::string otlp = {}; ///< of an OpenTelemetry collector; empty: nobody is told
    bool help = false;
};

extern const std::string_view help_text;

/// Puts the addresses of the servers where services that are started find them. There may be only one thread yet.
void hand_down_servers(const options& chosen);

/// None when the words make no sense; standard error says which.
[[nodiscard]] std::optional<options> read_options(int count, char** words);

} // namespace shop

#pragma once

#include "order_desk.hpp"

#include <cstdint>
#include <stop_token>

namespace shop {

struct generator_options {
    int orders = 0;
    double rate = 0; ///< orders a second; 0: as fast as they can be placed
    double failure_rate = 0;
    unsigned seed = 1;
};

/// Customers who need no telling. The same seed brings the same orders, so a generator that was killed goes on where
/// it was: what it placed before is placed already.
class generator {
public:
    /// One in ten orders goes through the door at that port, as everybody's do.
    generator(const generator_options& options, order_desk& desk, std::uint16_t port)
        : options_{options}, desk_{desk}, port_{port} {}

    void run(const std::stop_token& stop) const;

private:
    generator_options options_;
    order_desk& desk_;
    std::uint16_t port_;
};

} // namespace shop

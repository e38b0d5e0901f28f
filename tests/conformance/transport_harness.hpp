#pragma once

#include <ferry/transport.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

namespace ferry::testing {

/// What a transport brings to the suite, made anew for each test: a broker, and transports that use it.
class transport_harness {
public:
    transport_harness() = default;
    transport_harness(const transport_harness&) = delete;
    transport_harness& operator=(const transport_harness&) = delete;
    virtual ~transport_harness() = default;

    /// One more transport at the same broker, not started yet: another service, or another instance of one.
    [[nodiscard]] virtual std::unique_ptr<transport> make_transport() = 0;
    /// Takes away what a test declared, where the broker outlives the test.
    virtual void clean_up(const topology& declared) { static_cast<void>(declared); }
    /// How far apart two delays must lie for their order to be kept.
    [[nodiscard]] virtual duration delay_resolution() const { return std::chrono::milliseconds{100}; }
};

struct transport_under_test {
    std::string name;
    std::function<std::unique_ptr<transport_harness>()> make_harness;

    friend std::ostream& operator<<(std::ostream& out, const transport_under_test& each) { return out << each.name; }
};

} // namespace ferry::testing

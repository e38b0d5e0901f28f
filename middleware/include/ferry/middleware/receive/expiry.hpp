#pragma once

#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/time.hpp>

#include <string_view>

namespace ferry::middleware {

/// Settles a message that has outlived its deadline, before anything is paid for reading its body.
class expiry {
public:
    static constexpr std::string_view key = "expiry";

    explicit expiry(clock now) noexcept : now_{now} {}
    void operator()(receive_context& message, next<receive_context> next) const;

private:
    clock now_;
};

} // namespace ferry::middleware

#pragma once

#include <ferry/dispatch_context.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/transport.hpp>

#include <string_view>

namespace ferry::middleware {

/// Hands the message to the transport; or, from a handler, puts it with those that wait for the handler's success. The
/// end of the dispatch pipeline.
class transmission {
public:
    static constexpr std::string_view key = "transmission";

    explicit transmission(transport& carrier) noexcept : transport_{&carrier} {}
    void operator()(dispatch_context& message, next<dispatch_context> next) const;

private:
    transport* transport_;
};

} // namespace ferry::middleware

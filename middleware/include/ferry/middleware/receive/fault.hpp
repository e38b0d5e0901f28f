#pragma once

#include <ferry/dispatcher.hpp>
#include <ferry/log.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/time.hpp>

#include <exception>
#include <string_view>

namespace ferry::middleware {

/// Ends a message that failed: a requester is told what was thrown; any other message goes to the endpoint's error
/// queue with headers that say why. When that fails as well, the exception travels on and the delivery goes back.
class fault {
public:
    static constexpr std::string_view key = "fault";

    fault(dispatcher& bus, clock now, const log_function& log) noexcept : bus_{&bus}, now_{now}, log_{&log} {}
    void operator()(receive_context& message, next<receive_context> next) const;

private:
    void end(receive_context& message, const std::exception_ptr& thrown) const;

    dispatcher* bus_;
    clock now_;
    const log_function* log_;
};

} // namespace ferry::middleware

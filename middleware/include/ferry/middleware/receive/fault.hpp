#pragma once

#include <ferry/dispatcher.hpp>
#include <ferry/endpoint_control.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/log.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/stack_trace_source.hpp>
#include <ferry/time.hpp>

#include <string_view>

namespace ferry::middleware {

/// Ends a message that failed, for each consumer that did. A requester that is still there is told what was thrown.
/// What a policy discards is forgotten. Any other message goes to the endpoint's error queue with headers that say why;
/// where that is switched off, to the broker's own dead letters. When nothing of that is possible, the exception
/// travels on and the delivery goes back.
class fault {
public:
    static constexpr std::string_view key = "fault";

    fault(dispatcher& bus, endpoint_control& control, clock now, const log_function& log,
          const stack_trace_source* traces = nullptr) noexcept
        : bus_{&bus}, control_{&control}, now_{now}, log_{&log}, traces_{traces} {}
    void operator()(receive_context& message, next<receive_context> next) const;

private:
    [[nodiscard]] settlement end(receive_context& message, const consumer_failure& failure) const;
    [[nodiscard]] bool tell_requester(receive_context& message, const exception_summary& cause) const;
    void move_to_error_queue(receive_context& message, const consumer_failure& failure,
                             const exception_summary& cause) const;
    void log(log_level level, receive_context& message, const std::string& what, const consumer_failure& failure,
             const exception_summary& cause) const;

    dispatcher* bus_;
    endpoint_control* control_;
    clock now_;
    const log_function* log_;
    const stack_trace_source* traces_;
};

} // namespace ferry::middleware

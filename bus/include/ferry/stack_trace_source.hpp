#pragma once

#include <exception>
#include <string>

namespace ferry {

/// Where the stack of a failure comes from. Remembering one costs at every throw, so a bus has none unless it is given
/// one: `builder.stack_traces(ferry::captured_stack_traces())`, from ferry::stack_traces.
class stack_trace_source {
public:
    /// From here on, or from here on no more, the throws of the calling thread are remembered.
    virtual void watch_this_thread(bool on) noexcept = 0;
    /// The stack at the throw of that exception, a line a frame; empty when nobody watched.
    [[nodiscard]] virtual std::string trace_of(const std::exception_ptr& thrown) const = 0;

protected:
    ~stack_trace_source() = default;
};

} // namespace ferry

#pragma once

#include <ferry/stack_trace_source.hpp>

namespace ferry {

/// The stacks of exceptions, for the header `fault-stack-trace`. C++ forgets the stack before anybody can catch, so a
/// program that calls this function has its own `__cxa_throw`, which remembers it on threads that ask for it and costs
/// other throws next to nothing. File names and lines need debug information (-g) and libbacktrace, which comes with
/// GCC; without them there are addresses.
[[nodiscard]] stack_trace_source& captured_stack_traces() noexcept;

} // namespace ferry

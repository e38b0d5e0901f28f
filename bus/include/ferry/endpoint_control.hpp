#pragma once

#include <ferry/time.hpp>

#include <string_view>

namespace ferry {

/// What the stages of an endpoint may do to it as a whole.
class endpoint_control {
public:
    /// Stops consuming and gives back what no slot has begun. From `until` on, one message after the other is let
    /// through as a test, until the holder lets go or holds on for longer. Several may hold at once; `holder` is the
    /// key of the stage.
    virtual void hold(std::string_view holder, time_point until) = 0;
    /// Consumes again, once nobody else holds.
    virtual void release(std::string_view holder) = 0;
    /// Remembers what went wrong last, for `bus.health()`.
    virtual void report(std::string_view failure) = 0;

protected:
    ~endpoint_control() = default;
};

} // namespace ferry

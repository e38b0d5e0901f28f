#pragma once

#include <ferry/dispatch_context.hpp>
#include <ferry/pipeline.hpp>

#include <string_view>

namespace ferry::middleware {

/// Writes the message into the envelope's body, with the first codec of its type.
class serialization {
public:
    static constexpr std::string_view key = "serialization";

    void operator()(dispatch_context& message, next<dispatch_context> next) const;
};

} // namespace ferry::middleware

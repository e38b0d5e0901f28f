#pragma once

#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>

#include <string_view>

namespace ferry::middleware {

/// Picks the consumers a message is for: those of its own type, and those of a type it says it can also be read as.
class type_selection {
public:
    static constexpr std::string_view key = "type_selection";

    void operator()(receive_context& message, next<receive_context> next) const;
};

} // namespace ferry::middleware

#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/pipeline.hpp>

#include <string_view>

namespace ferry::middleware {

/// Calls the user's handler. The end of every consumer's pipeline.
class handler {
public:
    static constexpr std::string_view key = "handler";

    void operator()(consume_context& message, next<consume_context> next) const;
};

} // namespace ferry::middleware

#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/pipeline.hpp>

#include <exception>

namespace ferry::middleware {

/// What an attempt threw, or nothing.
[[nodiscard]] inline std::exception_ptr attempt(consume_context& message, next<consume_context> next) {
    try {
        next(message);
        return nullptr;
    } catch (...) {
        return std::current_exception();
    }
}

/// The transaction is not this message's alone: what failed in it cannot be tried again in it.
[[nodiscard]] inline bool is_shared(consume_context& message) noexcept { return message.delivery().group() != nullptr; }

} // namespace ferry::middleware

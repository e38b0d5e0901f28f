#pragma once

#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>

#include <string_view>

namespace ferry::middleware {

/// Reads the body for each consumer the message is for and runs that consumer's pipeline. One consumer's failure does
/// not keep the others from their work: all failures are in `failures()` when the first of them is thrown. Reading
/// happens here, outside the consumer's pipeline, because a body that cannot be read will not be readable at the next
/// attempt either.
class routing {
public:
    static constexpr std::string_view key = "routing";

    void operator()(receive_context& message, next<receive_context> next) const;
};

} // namespace ferry::middleware

#include <ferry/consumer.hpp>
#include <ferry/header_names.hpp>
#include <ferry/middleware/receive/type_selection.hpp>

#include <algorithm>

namespace ferry::middleware {

namespace {

bool can_be_read_as(const envelope& message, const message_type& type) {
    return message.message_type == type.urn || std::ranges::contains(message.enclosed_types, type.urn);
}

/// A message that comes again after a consumer failed is for that one; the others have done their work.
bool is_meant(const envelope& message, const consumer& candidate) {
    const std::string_view target = message.headers.text(header_names::target_consumer);
    return target.empty() || target == candidate.name();
}

} // namespace

void type_selection::operator()(receive_context& message, next<receive_context> next) const {
    if (message.damage()) {
        std::rethrow_exception(message.damage());
    }
    std::ranges::copy_if(message.consumers(), std::back_inserter(message.targets()), [&](const consumer_run* each) {
        return can_be_read_as(message.envelope(), each->consumer().message()) &&
               is_meant(message.envelope(), each->consumer());
    });
    next(message);
}

} // namespace ferry::middleware

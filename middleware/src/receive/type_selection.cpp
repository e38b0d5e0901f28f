#include <ferry/consumer.hpp>
#include <ferry/middleware/receive/type_selection.hpp>

#include <algorithm>

namespace ferry::middleware {

void type_selection::operator()(receive_context& message, next<receive_context> next) const {
    if (message.damage()) {
        std::rethrow_exception(message.damage());
    }
    std::ranges::copy_if(message.consumers(), std::back_inserter(message.targets()),
                         [&](const consumer_run* each) { return message.is_for(each->consumer()); });
    next(message);
}

} // namespace ferry::middleware

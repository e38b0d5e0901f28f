#include <ferry/consumer.hpp>
#include <ferry/middleware/receive/routing.hpp>

#include <exception>

namespace ferry::middleware {

void routing::operator()(receive_context& message, next<receive_context> next) const {
    std::exception_ptr failure;
    for (consumer_run* each : message.targets()) {
        try {
            each->decode(message);
            each->run();
        } catch (...) {
            failure = failure ? failure : std::current_exception();
        }
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
    if (!message.targets().empty()) {
        message.settle(settlement::handled);
    }
    next(message);
}

} // namespace ferry::middleware

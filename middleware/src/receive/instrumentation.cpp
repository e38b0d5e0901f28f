#include "../observed.hpp"

#include <ferry/middleware/receive/instrumentation.hpp>

namespace ferry::middleware {

std::optional<receive_instrumentation> receive_instrumentation::from(const stage_ports& ports) {
    return ports.observer == nullptr ? std::nullopt
                                     : std::optional<receive_instrumentation>{std::in_place, *ports.observer};
}

void receive_instrumentation::operator()(receive_context& message, next<receive_context> next) const {
    run_observed(observer_->receiving(message), message, next);
}

} // namespace ferry::middleware

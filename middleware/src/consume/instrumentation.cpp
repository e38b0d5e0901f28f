#include "../observed.hpp"

#include <ferry/middleware/consume/instrumentation.hpp>

namespace ferry::middleware {

std::optional<consume_instrumentation> consume_instrumentation::from(const stage_ports& ports) {
    return ports.observer == nullptr ? std::nullopt
                                     : std::optional<consume_instrumentation>{std::in_place, *ports.observer};
}

void consume_instrumentation::operator()(consume_context& message, next<consume_context> next) const {
    run_observed(observer_->handling(message), message, next);
}

} // namespace ferry::middleware

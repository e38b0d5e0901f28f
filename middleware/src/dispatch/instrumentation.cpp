#include <ferry/middleware/dispatch/instrumentation.hpp>
#include <ferry/transport.hpp>

#include <memory>
#include <utility>

namespace ferry::middleware {

std::optional<dispatch_instrumentation> dispatch_instrumentation::from(const stage_ports& ports) {
    return ports.observer == nullptr ? std::nullopt
                                     : std::optional<dispatch_instrumentation>{std::in_place, *ports.observer};
}

// The answer of the broker belongs to the observation, which therefore lives in the callback until that has come; or
// until the callback goes, since nobody asked the broker.
void dispatch_instrumentation::operator()(dispatch_context& message, next<dispatch_context> next) const {
    const std::shared_ptr<observation> work = observer_->dispatching(message);
    if (work && message.on_outcome) {
        const envelope& sent = message.envelope;
        message.on_outcome = [work = work, kind = sent.kind, type = sent.message_type, destination = sent.destination,
                              inner = std::move(message.on_outcome)](send_outcome outcome) mutable {
            work->answered(outcome);
            if (const std::exception_ptr failure = failure_of(outcome, kind, type, destination)) {
                work->failed(failure);
            }
            work.reset(); // it ends here, unless the call that sent is not back yet
            inner(std::move(outcome));
        };
    }
    try {
        next(message);
    } catch (...) {
        if (work) {
            work->failed(std::current_exception());
        }
        throw;
    }
}

} // namespace ferry::middleware

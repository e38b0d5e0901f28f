#include <ferry/middleware/consume/database_resilience.hpp>
#include <ferry/middleware/consume/handler.hpp>
#include <ferry/middleware/consume/handler_deadline.hpp>
#include <ferry/middleware/consume/inbox.hpp>
#include <ferry/middleware/consume/instrumentation.hpp>
#include <ferry/middleware/consume/retry.hpp>
#include <ferry/middleware/consume/send_collected.hpp>
#include <ferry/middleware/consume/transaction.hpp>
#include <ferry/middleware/dispatch/instrumentation.hpp>
#include <ferry/middleware/dispatch/outbox.hpp>
#include <ferry/middleware/dispatch/scheduling.hpp>
#include <ferry/middleware/dispatch/serialization.hpp>
#include <ferry/middleware/dispatch/transmission.hpp>
#include <ferry/middleware/receive/circuit_breaker.hpp>
#include <ferry/middleware/receive/dead_letter.hpp>
#include <ferry/middleware/receive/expiry.hpp>
#include <ferry/middleware/receive/fault.hpp>
#include <ferry/middleware/receive/instrumentation.hpp>
#include <ferry/middleware/receive/redelivery.hpp>
#include <ferry/middleware/receive/reply_delivery.hpp>
#include <ferry/middleware/receive/routing.hpp>
#include <ferry/middleware/receive/transport_circuit_breaker.hpp>
#include <ferry/middleware/receive/type_selection.hpp>
#include <ferry/pipeline_defaults.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ferry {

namespace {

/// A promise about the order of a consumer's stages: where `inner` is, `outer` stands outside it.
struct promise {
    std::string_view inner;
    std::string_view outer;
    bool needs_outer; ///< and must be there
    std::string_view why;
};

constexpr std::array promises{
    promise{"inbox", "transaction", true,
            "an inbox works inside a transaction: without one its claim would stay when the handler's work is rolled "
            "back; place 'inbox' inside 'transaction'"},
    promise{"transaction", "retry", false,
            "a retry stands outside the transaction: inside, it would go on in a transaction that has failed; place "
            "'retry' outside 'transaction'"}};

bool is_broken(const promise& each, const std::vector<std::string>& keys) {
    const auto inner = std::ranges::find(keys, each.inner);
    const auto outer = std::ranges::find(keys, each.outer);
    return inner != keys.end() && (outer == keys.end() ? each.needs_outer : outer > inner);
}

/// The order of every pipeline, in one place. docs/pipeline.md says why each stands where it stands.
class standard_stages final : public pipeline_defaults {
public:
    void receive(pipeline_plan<receive_context>& plan, const endpoint_settings& endpoint, endpoint_control& control,
                 const stage_ports& ports) const override {
        ferry::scheduler* const store = ports.persistence != nullptr ? &ports.scheduler : nullptr;
        const middleware::endpoint_breaker::ports breakers{control, ports.now, ports.counters, ports.log};
        plan.use(middleware::transport_circuit_breaker::from(endpoint, breakers))
            .use(middleware::receive_instrumentation::from(ports)) // outside dead_letter: one is still observed
            .use(middleware::dead_letter{ports.bus})               // outside fault: what nobody handles is no failure
            .use(middleware::fault{ports.bus, control, ports.now, ports.log, ports.traces})
            .use(middleware::redelivery::from(endpoint, ports.bus, store, ports.now,
                                              ports.log)) // the last round is a fault
            .use(middleware::circuit_breaker::from(endpoint, breakers))
            .use(middleware::expiry{ports.now})
            .use(middleware::type_selection{})
            .use(middleware::routing{});
    }

    void replies(pipeline_plan<receive_context>& plan, const stage_ports& ports) const override {
        plan.use(middleware::reply_delivery{ports.replies, ports.counters});
    }

    void consume(pipeline_plan<consume_context>& plan, const consumer_settings& consumer,
                 const stage_ports& ports) const override {
        plan.use(middleware::retry::from(consumer, ports.now, ports.counters, ports.log))
            .use(middleware::database_resilience::from(ports))     // inside retry: its attempts cost the policy none
            .use(middleware::consume_instrumentation::from(ports)) // inside the retries: each attempt is one
            .use(middleware::transaction::from(ports))
            .use(middleware::inbox::from(consumer, ports))
            .use(middleware::send_collected::from(ports)) // around the handler: it sends when that has returned
            .use(middleware::handler_deadline::from(consumer, ports.now, ports.timers))
            .use(middleware::handler{});
    }

    void dispatch(pipeline_plan<dispatch_context>& plan, const stage_ports& ports) const override {
        plan.use(middleware::dispatch_instrumentation::from(ports)) // outside all: its headers are sent and stored
            .use(middleware::serialization{})
            .use(middleware::outbox::from(ports))         // outside scheduling: its limits hold for both
            .use(middleware::scheduling{ports.scheduler}) // inside serialization: what is kept is complete
            .use(middleware::transmission{ports.transport});
    }

    void check(const std::vector<std::string>& consume_keys, std::vector<std::string>& problems) const override {
        for (const promise& each : promises) {
            if (is_broken(each, consume_keys)) {
                problems.emplace_back(each.why);
            }
        }
    }
};

} // namespace

const pipeline_defaults& standard_pipeline() noexcept {
    static const standard_stages stages;
    return stages;
}

} // namespace ferry

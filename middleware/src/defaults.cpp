#include <ferry/middleware/consume/handler.hpp>
#include <ferry/middleware/consume/send_collected.hpp>
#include <ferry/middleware/dispatch/serialization.hpp>
#include <ferry/middleware/dispatch/transmission.hpp>
#include <ferry/middleware/receive/dead_letter.hpp>
#include <ferry/middleware/receive/expiry.hpp>
#include <ferry/middleware/receive/fault.hpp>
#include <ferry/middleware/receive/reply_delivery.hpp>
#include <ferry/middleware/receive/routing.hpp>
#include <ferry/middleware/receive/type_selection.hpp>
#include <ferry/pipeline_defaults.hpp>

namespace ferry {

namespace {

/// The order of every pipeline, in one place. docs/pipeline.md says why each stands where it stands.
class standard_stages final : public pipeline_defaults {
public:
    void receive(pipeline_plan<receive_context>& plan, const endpoint_settings& /*endpoint*/,
                 const stage_ports& ports) const override {
        plan.use(middleware::dead_letter{ports.bus}) // outside fault: what nobody handles is no failure
            .use(middleware::fault{ports.bus, ports.now, ports.log})
            .use(middleware::expiry{ports.now})
            .use(middleware::type_selection{})
            .use(middleware::routing{});
    }

    void replies(pipeline_plan<receive_context>& plan, const stage_ports& ports) const override {
        plan.use(middleware::reply_delivery{ports.replies, ports.counters});
    }

    void consume(pipeline_plan<consume_context>& plan, const endpoint_settings& /*endpoint*/,
                 const stage_ports& ports) const override {
        plan.use(middleware::send_collected{ports.bus}) // around the handler: it sends when the handler has returned
            .use(middleware::handler{});
    }

    void dispatch(pipeline_plan<dispatch_context>& plan, const stage_ports& ports) const override {
        plan.use(middleware::serialization{}).use(middleware::transmission{ports.transport});
    }
};

} // namespace

const pipeline_defaults& standard_pipeline() noexcept {
    static const standard_stages stages;
    return stages;
}

} // namespace ferry

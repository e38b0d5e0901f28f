#include "assembly.hpp"

#include "endpoint_plan.hpp"

#include <ferry/bus_builder.hpp>

#include <utility>

namespace ferry {

namespace {

/// Puts one bus together, collecting what is wrong on the way.
class assembler {
public:
    assembler(bus_registration registration, const pipeline_defaults& defaults)
        : bus_{std::move(registration)}, defaults_{defaults}, problems_{std::move(bus_.problems)} {}

    std::unique_ptr<bus_core> assemble() {
        check_bus();
        std::vector<endpoint_plan> plans = plan_endpoints(bus_, problems_);
        if (bus_.transport == nullptr) {
            throw build_error{std::move(problems_)}; // nothing below can be looked at without one
        }
        persistence_ = bus_.persistence;
        core_ = std::make_unique<bus_core>(bus_, reply_queue());
        check_wide_scopes();
        if (core_->persistence() != nullptr && persistence_.outbox) {
            core_->dispatcher().use_outbox();
        }
        core_->dispatcher().use(dispatch_pipeline());
        topology wanted = topology_of(plans, *bus_.naming);
        wanted.queues.push_back({.name = core_->reply_queue(), .temporary = true});
        add_published(wanted);
        core_->carrier().check(wanted, problems_);
        std::vector<std::unique_ptr<receiver>> receivers;
        for (endpoint_plan& each : plans) {
            receivers.push_back(endpoint(std::move(each)));
        }
        core_->complete(reply_endpoint(), std::move(receivers), std::move(wanted));
        if (!problems_.empty()) {
            throw build_error{std::move(problems_)};
        }
        return std::move(core_);
    }

private:
    void check_bus() {
        if (bus_.service.empty()) {
            problems_.push_back(
                "the service has no name; pass one to bus_builder, every instance of a service the same");
        }
        if (bus_.transport == nullptr) {
            problems_.push_back(
                "the bus has no transport; pass one to transport(), for example ferry::memory::transport{}");
        }
        if (bus_.stop_timeout < duration::zero()) {
            problems_.push_back("the stop timeout is negative; set it to zero or more");
        }
        if (bus_.max_pending_requests == 0) {
            problems_.push_back("max_pending_requests is 0, so every request would fail; set it to 1 or more");
        }
        if (bus_.store != nullptr) {
            bus_.persistence.validate(problems_);
        }
        bus_.options.validate("bus", problems_);
        bus_.every_consumer.validate("bus", problems_);
        bus_.transport_options.validate("transport", problems_);
        bus_.every_consumer_of_transport.validate("transport", problems_);
        for (const auto& [message, destination] : bus_.routes) {
            if (destination.empty() || destination.name.empty()) {
                problems_.push_back("the route of " + message->urn + " leads nowhere; name a queue or an exchange");
            }
        }
    }

    void add_published(topology& wanted) {
        for (const message_type* each : bus_.published) {
            (void)core_->routes().find(*each); // from now on it is known, and described
            core_->routes().add_exchanges(*each, wanted);
        }
    }

    std::string reply_queue() const {
        id_source ids;
        return bus_.naming->reply_queue(bus_.service, ids.next(bus_.now()).to_string());
    }

    template <typename Context>
    void place(pipeline_plan<Context>& plan, const std::vector<placement<Context>>& wishes, const std::string& where) {
        for (const placement<Context>& each : wishes) {
            if (auto problem = plan.place(each)) {
                problems_.push_back(where + ": " + *problem);
            }
        }
    }
    template <typename Context>
    static void place_checked(pipeline_plan<Context>& plan, const std::vector<placement<Context>>& wishes) {
        for (const placement<Context>& each : wishes) {
            (void)plan.place(each);
        }
    }

    // What stands at a wide scope is reported once, not once for every endpoint and consumer below it.
    void check_wide_scopes() {
        endpoint_gate nobodys{core_->now(), core_->timers()};
        pipeline_plan<receive_context> receive;
        defaults_.receive(receive, endpoint_settings{}, nobodys, core_->ports());
        place(receive, bus_.stages.receive, "bus");
        place(receive, bus_.transport_stages.receive, "transport");
        pipeline_plan<consume_context> consume;
        defaults_.consume(consume, consumer_settings{}, core_->ports());
        place(consume, bus_.stages.consume, "bus");
        place(consume, bus_.transport_stages.consume, "transport");
    }

    pipeline<dispatch_context> dispatch_pipeline() {
        pipeline_plan<dispatch_context> plan;
        defaults_.dispatch(plan, core_->ports());
        place(plan, bus_.stages.dispatch, "bus");
        place(plan, bus_.transport_stages.dispatch, "transport");
        return std::move(plan).seal();
    }

    std::unique_ptr<receiver> endpoint(endpoint_plan wanted) {
        const std::string where = "endpoint '" + wanted.settings.name + "'";
        if (wanted.settings.group_commit > 1 && core_->persistence() == nullptr) {
            problems_.push_back(where + ": a group commit needs a store; give the bus one with persistence(...), or "
                                        "leave group_commit away");
        }
        auto gate = std::make_unique<endpoint_gate>(core_->now(), core_->timers());
        pipeline_plan<receive_context> plan;
        defaults_.receive(plan, wanted.settings, *gate, core_->ports());
        place_checked(plan, bus_.stages.receive);
        place_checked(plan, bus_.transport_stages.receive);
        place(plan, wanted.stages.receive, where);
        std::vector<std::unique_ptr<consumer>> consumers;
        for (consumer_registration& each : wanted.consumers) {
            consumer_settings settings = settings_of(each, wanted, bus_);
            check_retention(settings, where);
            auto stages = consumer_pipeline(wanted, each, settings);
            consumers.push_back(
                std::make_unique<consumer>(std::move(settings), each.role, std::move(each.handler), std::move(stages)));
        }
        return std::make_unique<receiver>(std::move(wanted.settings), std::move(consumers), std::move(plan).seal(),
                                          std::move(gate), core_->receiver_ports_of());
    }

    pipeline<consume_context> consumer_pipeline(const endpoint_plan& endpoint, const consumer_registration& consumer,
                                                const consumer_settings& settings) {
        const std::string where = "endpoint '" + endpoint.settings.name + "', consumer '" + consumer.name + "'";
        pipeline_plan<consume_context> plan;
        defaults_.consume(plan, settings, core_->ports());
        place_checked(plan, bus_.stages.consume);
        place_checked(plan, bus_.transport_stages.consume);
        place(plan, endpoint.stages.consume, where);
        place(plan, consumer.stages.consume, where);
        pipeline<consume_context> sealed = std::move(plan).seal();
        std::vector<std::string> broken_promises;
        defaults_.check(sealed.keys(), broken_promises);
        for (const std::string& each : broken_promises) {
            problems_.push_back(std::string{where}.append(": ").append(each));
        }
        return sealed;
    }

    // A claim that is forgotten while its message may still come again protects nobody.
    void check_retention(const consumer_settings& consumer, const std::string& where) {
        if (core_->persistence() == nullptr || !persistence_.inbox || !consumer.inbox) {
            return;
        }
        const duration longest = consumer.policy.last_redelivery();
        if (persistence_.claims.retention <= longest) {
            problems_.push_back(where + ", consumer '" + consumer.name + "': a message may come again after " +
                                to_text(longest) + ", but the inbox forgets after " +
                                to_text(persistence_.claims.retention) +
                                "; raise claims.retention, or redeliver sooner");
        }
    }

    std::unique_ptr<receiver> reply_endpoint() {
        pipeline_plan<receive_context> plan;
        defaults_.replies(plan, core_->ports());
        endpoint_settings settings{.name = core_->reply_queue(), .address = address::queue(core_->reply_queue())};
        return std::make_unique<receiver>(
            std::move(settings), std::vector<std::unique_ptr<consumer>>{}, std::move(plan).seal(),
            std::make_unique<endpoint_gate>(core_->now(), core_->timers()), core_->receiver_ports_of());
    }

    bus_registration bus_;
    const pipeline_defaults& defaults_;
    persistence_options persistence_;
    std::vector<std::string> problems_;
    std::unique_ptr<bus_core> core_;
};

} // namespace

std::unique_ptr<bus_core> assemble(bus_registration registration, const pipeline_defaults& defaults) {
    return assembler{std::move(registration), defaults}.assemble();
}

} // namespace ferry

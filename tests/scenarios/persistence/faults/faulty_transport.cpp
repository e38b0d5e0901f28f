#include "faulty_transport.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace ferry::scenarios {

/// Stands between a queue and its endpoint, and settles in the endpoint's name.
class faulty_deliveries final : public delivery_sink, private delivery_origin {
public:
    faulty_deliveries(delivery_sink& sink, fault_plan& plan) noexcept : sink_{sink}, plan_{plan} {}

    void deliver(std::span<delivery> deliveries) override {
        std::vector<delivery> passed_on;
        for (delivery& each : deliveries) {
            passed_on.push_back(delivery{hold(std::move(each)), *this});
        }
        sink_.deliver(passed_on);
    }

private:
    delivered_message hold(delivery from_queue) {
        const std::scoped_lock lock{mutex_};
        delivered_message copy{
            .content = from_queue.content(), .tag = ++last_tag_, .earlier_deliveries = from_queue.earlier_deliveries()};
        held_.emplace(copy.tag, std::move(from_queue));
        return copy;
    }
    delivery take(std::uint64_t tag) {
        const std::scoped_lock lock{mutex_};
        return std::move(held_.extract(tag).mapped());
    }
    void settle(delivered_message message, verdict outcome) noexcept override {
        delivery from_queue = take(message.tag);
        switch (outcome) {
        case verdict::accept:
            plan_.pass(moment::before_acknowledge);
            return std::move(from_queue).accept();
        case verdict::requeue:
            return std::move(from_queue).requeue();
        case verdict::reject:
            return std::move(from_queue).reject();
        }
    }

    delivery_sink& sink_;
    fault_plan& plan_;
    std::mutex mutex_;
    std::uint64_t last_tag_ = 0;
    std::map<std::uint64_t, delivery> held_;
};

faulty_transport::faulty_transport(std::unique_ptr<ferry::transport> inner, fault_plan& plan)
    : plan_{plan}, inner_{std::move(inner)} {}
faulty_transport::~faulty_transport() = default;

void faulty_transport::send(const envelope& message, send_callback on_outcome) {
    inner_->send(message, [this, on_outcome = std::move(on_outcome)](send_outcome outcome) mutable {
        plan_.pass(moment::before_confirm);
        on_outcome(std::move(outcome));
    });
    plan_.pass(moment::after_send);
}

std::unique_ptr<subscription> faulty_transport::consume(const std::string& queue, const consume_options& options,
                                                        delivery_sink& sink) {
    deliveries_.push_back(std::make_unique<faulty_deliveries>(sink, plan_));
    return inner_->consume(queue, options, *deliveries_.back());
}

} // namespace ferry::scenarios

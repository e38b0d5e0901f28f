#pragma once

#include "fault_plan.hpp"

#include <ferry/transport.hpp>

#include <memory>
#include <vector>

namespace ferry::scenarios {

class faulty_deliveries;

/// A transport that passes everything on, and strikes between send and confirm, and before it acknowledges.
class faulty_transport final : public ferry::transport {
public:
    faulty_transport(std::unique_ptr<ferry::transport> inner, fault_plan& plan);
    ~faulty_transport() override;

    [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
    void start(const transport_host& host) override { inner_->start(host); }
    void stop() noexcept override { inner_->stop(); }
    [[nodiscard]] transport_health health() const override { return inner_->health(); }
    void check(const topology& wanted, std::vector<std::string>& problems) const override {
        inner_->check(wanted, problems);
    }
    [[nodiscard]] broker_description describe(const topology& wanted) const override {
        return inner_->describe(wanted);
    }
    void declare(const topology& wanted) override { inner_->declare(wanted); }
    void send(const envelope& message, send_callback on_outcome) override;
    [[nodiscard]] duration send_timeout() const override { return inner_->send_timeout(); }
    [[nodiscard]] std::unique_ptr<subscription> consume(const std::string& queue, const consume_options& options,
                                                        delivery_sink& sink) override;

private:
    fault_plan& plan_;
    std::vector<std::unique_ptr<faulty_deliveries>> deliveries_; // outlive the subscriptions
    std::unique_ptr<ferry::transport> inner_;
};

} // namespace ferry::scenarios

#pragma once

#include <ferry/transport.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry::benchmarks {

/// A transport that lets a benchmark look on: passes everything on, and is derived from by those who want to see it.
class watched_transport : public transport {
public:
    explicit watched_transport(std::unique_ptr<transport> carrier) : carrier_{std::move(carrier)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return carrier_->name(); }
    void start(const transport_host& host) override { carrier_->start(host); }
    void stop() noexcept override { carrier_->stop(); }
    [[nodiscard]] transport_health health() const override { return carrier_->health(); }
    void check(const topology& wanted, std::vector<std::string>& problems) const override {
        carrier_->check(wanted, problems);
    }
    [[nodiscard]] broker_description describe(const topology& wanted) const override {
        return carrier_->describe(wanted);
    }
    void declare(const topology& wanted) override { carrier_->declare(wanted); }
    void send(const envelope& message, send_callback on_outcome) override {
        carrier_->send(message, std::move(on_outcome));
    }
    [[nodiscard]] duration send_timeout() const override { return carrier_->send_timeout(); }
    [[nodiscard]] std::unique_ptr<subscription> consume(const std::string& queue, const consume_options& options,
                                                        delivery_sink& sink) override {
        return carrier_->consume(queue, options, sink);
    }

private:
    std::unique_ptr<transport> carrier_;
};

} // namespace ferry::benchmarks

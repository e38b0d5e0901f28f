#pragma once

#include <ferry/transport.hpp>

#include <memory>

namespace shop {

/// A transport that says some things twice, as every broker does now and then: when a connection breaks before the
/// confirm, when a process dies before its acknowledgement. Here it is one event in a hundred, so that the inboxes have
/// something to do. A real service leaves it out.
class stutter final : public ferry::transport {
public:
    explicit stutter(std::unique_ptr<ferry::transport> inner) : inner_{std::move(inner)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
    void start(const ferry::transport_host& host) override { inner_->start(host); }
    void stop() noexcept override { inner_->stop(); }
    [[nodiscard]] ferry::transport_health health() const override { return inner_->health(); }
    void check(const ferry::topology& wanted, std::vector<std::string>& problems) const override {
        inner_->check(wanted, problems);
    }
    [[nodiscard]] ferry::broker_description describe(const ferry::topology& wanted) const override {
        return inner_->describe(wanted);
    }
    void declare(const ferry::topology& wanted) override { inner_->declare(wanted); }
    void send(const ferry::envelope& message, ferry::send_callback on_outcome) override;
    [[nodiscard]] ferry::duration send_timeout() const override { return inner_->send_timeout(); }
    [[nodiscard]] std::unique_ptr<ferry::subscription>
    consume(const std::string& queue, const ferry::consume_options& options, ferry::delivery_sink& sink) override {
        return inner_->consume(queue, options, sink);
    }

private:
    std::unique_ptr<ferry::transport> inner_;
};

} // namespace shop

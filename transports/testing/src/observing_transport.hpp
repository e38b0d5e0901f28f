#pragma once

#include <ferry/description.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/testing/recorder.hpp>
#include <ferry/transport.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ferry::testing {

/// A memory transport that tells a recorder what leaves over it.
class observing_transport final : public ferry::transport {
public:
    observing_transport(std::shared_ptr<memory::broker> shared, std::shared_ptr<recorder> seen)
        : inner_{std::move(shared)}, seen_{std::move(seen)} {}

    /// Says which queues are error queues and skipped queues; before `start`.
    void learn(std::vector<endpoint_description> endpoints) { endpoints_ = std::move(endpoints); }

    [[nodiscard]] std::string_view name() const noexcept override { return inner_.name(); }
    void start(const transport_host& host) override {
        now_ = host.now;
        inner_.start(host);
    }
    void stop() noexcept override { inner_.stop(); }
    [[nodiscard]] transport_health health() const override { return inner_.health(); }
    void declare(const topology& wanted) override { inner_.declare(wanted); }
    void send(const envelope& message, send_callback on_outcome) override;
    [[nodiscard]] duration send_timeout() const override { return inner_.send_timeout(); }
    [[nodiscard]] std::unique_ptr<subscription> consume(const std::string& queue, const consume_options& options,
                                                        delivery_sink& sink) override {
        return inner_.consume(queue, options, sink);
    }

private:
    [[nodiscard]] observation kind_of(const envelope& message) const;
    [[nodiscard]] bool goes_to(std::string endpoint_description::* queue, const envelope& message) const;

    memory::transport inner_;
    clock now_;
    std::vector<endpoint_description> endpoints_;
    std::shared_ptr<recorder> seen_;
};

} // namespace ferry::testing

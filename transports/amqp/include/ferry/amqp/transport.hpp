#pragma once

#include <ferry/amqp/options.hpp>
#include <ferry/transport.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::amqp {

class engine;

/// Carries messages over RabbitMQ. Publishing and consuming have a connection each; both find their way back by
/// themselves, for ever, and declare everything again when they do.
class transport final : public ferry::transport {
public:
    /// `url` is amqp:// or amqps://user:password@host:port,host:port/vhost?heartbeat=10. Throws ferry::error when it
    /// cannot be read.
    explicit transport(std::string_view url, transport_options options = {});
    transport(transport&& other) noexcept;
    transport& operator=(transport&& other) noexcept;
    ~transport() override;

    [[nodiscard]] std::string_view name() const noexcept override { return "rabbitmq"; }
    void start(const transport_host& host) override;
    void stop() noexcept override;
    [[nodiscard]] transport_health health() const override;
    void check(const topology& wanted, std::vector<std::string>& problems) const override;
    [[nodiscard]] broker_description describe(const topology& wanted) const override;
    /// As a definitions file of RabbitMQ; see `ferry::amqp::definitions`.
    [[nodiscard]] std::string definitions(const topology& wanted) const;
    void declare(const topology& wanted) override;
    void send(const envelope& message, send_callback on_outcome) override;
    [[nodiscard]] duration send_timeout() const override;
    [[nodiscard]] std::unique_ptr<subscription> consume(const std::string& queue, const consume_options& options,
                                                        delivery_sink& sink) override;

private:
    struct settings;
    [[nodiscard]] engine& running() const;
    [[nodiscard]] const transport_options& options() const noexcept;
    [[nodiscard]] const std::string& vhost() const noexcept;

    std::unique_ptr<settings> settings_;
    std::unique_ptr<engine> engine_;
};

} // namespace ferry::amqp

#pragma once

#include <ferry/memory/broker.hpp>
#include <ferry/transport.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::memory {

class session;

/// Carries messages inside the process. It needs nothing installed, and its messages end with the process.
class transport final : public ferry::transport {
public:
    /// With a broker of its own, from `start` to `stop`.
    transport();
    explicit transport(const broker_options& options);
    /// With a broker that others use too, and that keeps its messages when this transport stops.
    explicit transport(std::shared_ptr<memory::broker> shared);
    transport(transport&& other) noexcept;
    transport& operator=(transport&& other) noexcept;
    ~transport() override;

    [[nodiscard]] std::string_view name() const noexcept override { return "memory"; }
    void start(const transport_host& host) override;
    void stop() noexcept override;
    [[nodiscard]] transport_health health() const override;
    void check(const topology& wanted, std::vector<std::string>& problems) const override;
    void declare(const topology& wanted) override;
    void send(const envelope& message, send_callback on_outcome) override;
    [[nodiscard]] duration send_timeout() const override;
    [[nodiscard]] std::unique_ptr<subscription> consume(const std::string& queue, const consume_options& options,
                                                        delivery_sink& sink) override;

    /// The broker it uses; null before `start` when it has one of its own.
    [[nodiscard]] const std::shared_ptr<memory::broker>& broker() const noexcept { return broker_; }

private:
    [[nodiscard]] engine& running() const;
    void tell_of_leftovers() const;

    broker_options options_;
    bool own_broker_ = true;
    std::shared_ptr<memory::broker> broker_;
    std::shared_ptr<session> session_; // there while started
    log_function log_;
    std::shared_ptr<std::atomic<bool>> started_ = std::make_shared<std::atomic<bool>>(false); // for anybody to ask
};

} // namespace ferry::memory

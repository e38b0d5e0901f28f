#pragma once

#include "../billing/gateway.hpp"
#include "../orders/generator.hpp"
#include "../orders/http_door.hpp"
#include "../orders/order_desk.hpp"
#include "../wiring.hpp"
#include "options.hpp"
#include "status.hpp"
#include "telemetry.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace shop {

/// What main gives every service beside its wiring.
struct service_settings {
    options chosen;
    ferry::log_function log;
    shop::telemetry& telemetry;
};

/// Makes the tables of all three, for who wants to look into them before the services run.
void create_all_tables(const wiring& at);

/// Orders, running: its bus, its door, and the customers who come by themselves.
class orders_service {
public:
    orders_service(const wiring& at, const service_settings& settings);
    ~orders_service();
    orders_service(const orders_service&) = delete;
    orders_service& operator=(const orders_service&) = delete;

private:
    [[nodiscard]] ferry::bus build(const wiring& at, const service_settings& settings);
    void open(const service_settings& settings);
    void generate(const std::stop_token& stop);
    void close();
    void complete(service_status& status);

    std::unique_ptr<database> tables_;
    telemetry& telemetry_;
    ferry::bus bus_;
    order_desk desk_;
    generator_options customers_;
    std::mutex closing_;
    std::mutex mutex_; ///< guards the next three
    std::optional<http_door> door_;
    std::string trouble_; ///< why customers stopped coming, if not because they had all been here
    bool generates_ = true;
    std::optional<reporter> reporter_;
    std::jthread generator_;
};

class billing_service {
public:
    billing_service(const wiring& at, const service_settings& settings);

private:
    std::unique_ptr<database> tables_;
    gateway bank_;
    ferry::bus bus_;
    std::optional<reporter> reporter_;
};

/// Shipping and, since the demo has no real one, the carrier.
class shipping_service {
public:
    shipping_service(const wiring& at, const service_settings& settings);

private:
    std::unique_ptr<database> tables_;
    ferry::bus carrier_;
    ferry::bus bus_;
    std::optional<reporter> reporter_;
    std::optional<reporter> carrier_reporter_;
};

} // namespace shop

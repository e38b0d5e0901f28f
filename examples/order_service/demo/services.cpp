#include "services.hpp"

#include "../billing/billing.hpp"
#include "../orders/orders.hpp"
#include "../shipping/carrier.hpp"
#include "../shipping/shipping.hpp"

namespace shop {

namespace {

constexpr std::size_t slots = 4; // of each endpoint

/// What all services have in common.
void connect(ferry::bus_builder& builder, const std::string& service, const wiring& at,
             const service_settings& settings) {
    builder.transport(at.transport(service));
    builder.log(settings.log);
    settings.telemetry.observe(builder);
    builder.concurrency_limit(slots);
}

void keep_in_database(ferry::bus_builder& builder, const std::string& service, const wiring& at) {
    builder.persistence(at.store(service), {.tenant_required = true}); // no message leaves without its merchant
}

ferry::bus build_billing(const wiring& at, const service_settings& settings, database& tables, gateway& bank) {
    create_billing_tables(tables);
    ferry::bus_builder builder{"billing"};
    connect(builder, "billing", at, settings);
    keep_in_database(builder, "billing", at);
    add_billing(builder, tables, bank);
    return builder.build();
}

ferry::bus build_shipping(const wiring& at, const service_settings& settings, database& tables) {
    create_shipping_tables(tables);
    ferry::bus_builder builder{"shipping"};
    connect(builder, "shipping", at, settings);
    keep_in_database(builder, "shipping", at);
    add_shipping(builder, tables);
    return builder.build();
}

ferry::bus build_carrier(const wiring& at, const service_settings& settings) {
    ferry::bus_builder builder{"carrier"};
    connect(builder, "carrier", at, settings);
    builder.concurrency_limit(2 * slots); // some of which are jammed
    add_carrier(builder, {.jam_rate = settings.chosen.failure_rate / 20, .seed = settings.chosen.seed});
    return builder.build();
}

std::function<void(service_status&)> news_of(const service_settings& settings) {
    return [&from = settings.telemetry](service_status& status) { from.add_news(status); };
}

} // namespace

void create_all_tables(const wiring& at) {
    create_order_tables(*at.tables("orders"));
    create_billing_tables(*at.tables("billing"));
    create_shipping_tables(*at.tables("shipping"));
}

orders_service::orders_service(const wiring& at, const service_settings& settings)
    : tables_{at.tables("orders")},
      telemetry_{settings.telemetry},
      bus_{build(at, settings)},
      desk_{*tables_, bus_.outbox()},
      customers_{.orders = settings.chosen.orders,
                 .rate = settings.chosen.rate,
                 .failure_rate = settings.chosen.failure_rate,
                 .seed = settings.chosen.seed} {
    bus_.start();
    try {
        open(settings);
    } catch (...) {
        bus_.stop(); // somebody may just be asking to close what is about to go
        throw;
    }
}

void orders_service::open(const service_settings& settings) {
    const std::scoped_lock alone{closing_}; // who asks to close waits until it is open
    door_.emplace(settings.chosen.port, desk_, settings.log);
    reporter_.emplace("orders", bus_, [this](service_status& status) { complete(status); });
    generator_ = std::jthread{[this](const std::stop_token& stop) { generate(stop); }};
}

orders_service::~orders_service() {
    close();
    reporter_.reset(); // before the bus it tells of
    bus_.stop();       // and then nobody asks to close any more
}

ferry::bus orders_service::build(const wiring& at, const service_settings& settings) {
    create_order_tables(*tables_);
    ferry::bus_builder builder{"orders"};
    connect(builder, "orders", at, settings);
    keep_in_database(builder, "orders", at);
    add_orders(builder, *tables_);
    builder.handle<closing_time>([this](const closing_time&) { close(); },
                                 [](ferry::consumer_builder& consumer) { consumer.inbox(false); });
    return builder.build();
}

void orders_service::generate(const std::stop_token& stop) {
    std::string trouble;
    try {
        generator{customers_, desk_, door_->port()}.run(stop);
    } catch (const std::exception& failure) {
        trouble = stop.stop_requested() ? "" : failure.what(); // sent home while waiting: that is none
    }
    const std::scoped_lock lock{mutex_};
    trouble_ = trouble;
    generates_ = false;
}

// The customers go first, since one of them may stand in the door.
void orders_service::close() {
    const std::scoped_lock alone{closing_};
    generator_.request_stop();
    if (generator_.joinable()) {
        generator_.join();
    }
    const std::scoped_lock lock{mutex_};
    door_.reset();
}

void orders_service::complete(service_status& status) {
    const std::scoped_lock lock{mutex_};
    status.generates = generates_;
    status.takes_orders = door_.has_value();
    status.port = door_ ? door_->port() : 0;
    status.trouble = trouble_;
    telemetry_.add_news(status);
}

billing_service::billing_service(const wiring& at, const service_settings& settings)
    : tables_{at.tables("billing")}, bus_{build_billing(at, settings, *tables_, bank_)} {
    bus_.start();
    reporter_.emplace("billing", bus_, news_of(settings));
}

shipping_service::shipping_service(const wiring& at, const service_settings& settings)
    : tables_{at.tables("shipping")},
      carrier_{build_carrier(at, settings)},
      bus_{build_shipping(at, settings, *tables_)} {
    carrier_.start();
    bus_.start();
    reporter_.emplace("shipping", bus_, news_of(settings));
    carrier_reporter_.emplace("carrier", carrier_);
}

} // namespace shop

#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>
#include <ferry/otlp/session.hpp>
#include <ferry/postgres/store.hpp>
#include <ferry/postgres/transaction.hpp>

#include <opentelemetry/trace/provider.h>
#include <opentelemetry/trace/scope.h>
#include <pqxx/pqxx>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <latch>
#include <stdexcept>
#include <string>

namespace shop {

struct order_placed {
    std::string order_id;
};
struct invoice_created {
    std::string order_id;
};

} // namespace shop

namespace {

using namespace std::chrono_literals;

/// As a web server's own instrumentation would, around the transaction of a request.
void place_order(const std::string& database, ferry::outbox outbox) {
    namespace trace = opentelemetry::trace;
    trace::StartSpanOptions options;
    options.kind = trace::SpanKind::kServer;
    const auto request = trace::Provider::GetTracerProvider()->GetTracer("web")->StartSpan("POST /orders", options);
    const trace::Scope scope{request};
    pqxx::connection connection{database};
    pqxx::work transaction{connection};
    outbox.publish(transaction, shop::order_placed{"17"});
    transaction.commit();
    outbox.wake();
    request->End();
}

/// Ends when the order it places has come back as an invoice.
void run_shop(ferry::bus_builder& builder, const std::string& database) {
    std::latch invoiced{1};
    builder.handle<shop::invoice_created>([&](const shop::invoice_created&) { invoiced.count_down(); });
    ferry::bus bus = builder.build();
    bus.start();
    place_order(database, bus.outbox());
    invoiced.wait();
    bus.stop();
}

/// Cannot take an order the first time. Ends when it is told to.
void run_billing(ferry::bus_builder& builder) {
    std::atomic<int> calls{0};
    builder.resilience([](ferry::exception_policy& policy) { policy.otherwise().redeliver({10ms}); });
    builder.handle<shop::order_placed>([&](const shop::order_placed& order, ferry::consume_context& context) {
        if (++calls == 1) {
            throw std::runtime_error{"the ledger is closed"};
        }
        context.publish(shop::invoice_created{order.order_id});
    });
    ferry::bus bus = builder.build();
    bus.start();
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {}
    bus.stop();
}

} // namespace

// traced_service shop|billing BROKER DATABASE: one of two services with databases of their own.
int main(int count, char** arguments) {
    if (count != 4) {
        std::cerr << "traced_service shop|billing BROKER DATABASE\n";
        return EXIT_FAILURE;
    }
    const std::string role = arguments[1];
    ferry::bus_builder builder{role};
    const ferry::otlp::session telemetry{builder};
    builder.transport(ferry::amqp::transport{arguments[2]})
        .persistence(ferry::postgres::store{arguments[3], {.ensure_schema = true}}, {});
    if (role == "shop") {
        run_shop(builder, arguments[3]);
    } else {
        run_billing(builder);
    }
    return EXIT_SUCCESS;
}

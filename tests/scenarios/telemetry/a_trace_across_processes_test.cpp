#include "collector.hpp"
#include "management.hpp"
#include "test_database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/child_process.hpp>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ferry::scenarios {
namespace {

using testing::child_process;
using testing::collector;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::watched;
using span = collector::item;

/// Two services, each a process with a database of its own, over RabbitMQ; one tells the collector over HTTP, the other
/// over gRPC.
class ATraceAcrossProcesses : public ::testing::Test {
protected:
    ATraceAcrossProcesses() { broker.make_vhost(vhost); }
    ~ATraceAcrossProcesses() override { broker.remove("/api/vhosts/" + vhost); }

    [[nodiscard]] std::vector<std::string> words(const std::string& role, const testing::test_database& database,
                                                 const std::string& protocol, const std::string& endpoint) const {
        return {"env",
                "OTEL_EXPORTER_OTLP_PROTOCOL=" + protocol,
                "OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint,
                FERRY_TRACED_SERVICE,
                role,
                "amqp://127.0.0.1:" + std::to_string(broker.amqp_port()) + "/" + vhost,
                database.url()};
    }
    /// An order on its way through both services, until they have ended.
    void place_an_order() {
        watched<bool> ready{false};
        child_process billing{
            words("billing", billing_database, "grpc", spans.grpc_url()),
            [&](const std::string& line) { ready.change([&](bool& yes) { yes = line == "ready"; }); }};
        ASSERT_TRUE(ready.eventually([](bool yes) { return yes; }));
        child_process shop{words("shop", shop_database, "http/protobuf", spans.http_url()), [](const std::string&) {}};
        EXPECT_EQ(shop.wait(), 0);
        EXPECT_EQ(billing.wait(), 0);
    }
    /// In the order they began.
    [[nodiscard]] std::vector<span> all(const std::string& name) const {
        std::vector<span> found;
        std::ranges::copy_if(spans.received("span"), std::back_inserter(found),
                             [&](const span& each) { return each.at("name") == name; });
        std::ranges::sort(found, {}, [](const span& each) { return each.at("begin").get<std::int64_t>(); });
        return found;
    }
    [[nodiscard]] span one(const std::string& name) const {
        const std::vector<span> found = all(name);
        if (found.size() != 1) {
            throw std::runtime_error{"there are " + std::to_string(found.size()) + " spans " + name};
        }
        return found.front();
    }
    /// The span through which a relay has sent what this span has created.
    [[nodiscard]] span relay_of(const span& created) const {
        for (const span& each : all("relay outbox")) {
            for (const span& link : each.at("links")) {
                if (link.at("span_id") == created.at("span_id")) {
                    return each;
                }
            }
        }
        throw std::runtime_error{"no relay is linked with " + created.at("name").get<std::string>()};
    }
    static std::vector<std::string> events(const span& of) {
        std::vector<std::string> names;
        for (const span& each : of.at("events")) {
            names.push_back(each.at("name"));
        }
        return names;
    }
    static std::string service(const span& of) { return of.at("resource").at("service.name"); }
    static std::string attribute(const span& of, const std::string& name) { return of.at("attributes").at(name); }

    testing::management broker;
    std::string vhost = "traces-" + std::to_string(::getpid());
    testing::test_database shop_database;
    testing::test_database billing_database;
    collector spans;
};

TEST_F(ATraceAcrossProcesses, leads_from_a_request_through_outbox_broker_and_redelivery_to_the_last_handler) { // B97
    place_an_order();

    const span request = one("POST /orders");
    const span placed = one("publish shop.order-placed");
    const std::vector<span> received = all("receive billing.order-placed");
    const std::vector<span> handled = all("process billing.order-placed");
    const span invoiced = one("publish shop.invoice-created");
    const span got_invoice = one("receive shop.invoice-created");
    const span handled_invoice = one("process shop.invoice-created");
    ASSERT_THAT(received, SizeIs(2)) << "the delivery that fails, and the one that comes again";
    ASSERT_THAT(handled, SizeIs(2));

    std::vector<span> trace{request, placed, invoiced, got_invoice, handled_invoice};
    trace.insert(trace.end(), received.begin(), received.end());
    trace.insert(trace.end(), handled.begin(), handled.end());
    for (const span& each : trace) {
        EXPECT_EQ(each.at("trace_id"), request.at("trace_id")) << each.at("name");
    }

    const std::vector<std::pair<span, span>> children_and_parents{
        {placed, request},         {received[0], placed},  {received[1], placed},   {handled[0], received[0]},
        {handled[1], received[1]}, {invoiced, handled[1]}, {got_invoice, invoiced}, {handled_invoice, got_invoice}};
    for (const auto& [child, parent] : children_and_parents) {
        EXPECT_EQ(child.at("parent_id"), parent.at("span_id")) << child.at("name") << " in " << parent.at("name");
    }

    for (const span& each : {placed, invoiced}) {
        EXPECT_EQ(each.at("kind"), "PRODUCER");
        EXPECT_EQ(attribute(each, "messaging.operation.type"), "create") << "it is a row; the relay sends it";
        EXPECT_EQ(attribute(each, "messaging.system"), "rabbitmq");
        EXPECT_EQ(relay_of(each).at("kind"), "CLIENT");
        EXPECT_EQ(service(relay_of(each)), service(each));
    }
    for (const span& each : {received[0], received[1], got_invoice}) {
        EXPECT_EQ(each.at("kind"), "CONSUMER");
        EXPECT_EQ(attribute(each, "messaging.operation.type"), "receive");
    }
    for (const span& each : {handled[0], handled[1], handled_invoice}) {
        EXPECT_EQ(each.at("kind"), "CONSUMER");
        EXPECT_EQ(attribute(each, "messaging.operation.type"), "process");
    }
    EXPECT_EQ(service(placed), "shop");
    EXPECT_EQ(service(handled[1]), "billing");
    EXPECT_EQ(service(handled_invoice), "shop");
    EXPECT_EQ(placed.at("over"), "http");
    EXPECT_EQ(handled[1].at("over"), "grpc");

    for (const span& each : {received[0], handled[0]}) { // B98
        EXPECT_EQ(each.at("status"), "ERROR") << each.at("name");
        EXPECT_EQ(each.at("status_text"), "the ledger is closed");
        EXPECT_EQ(attribute(each, "error.type"), "std::runtime_error");
    }
    EXPECT_THAT(events(received[0]), ElementsAre("redelivered"));
    EXPECT_THAT(events(handled[0]), ElementsAre("exception"));
    for (const span& each : {request, placed, received[1], handled[1], invoiced, got_invoice, handled_invoice}) {
        EXPECT_EQ(each.at("status"), "UNSET") << each.at("name");
        EXPECT_THAT(events(each), IsEmpty()) << each.at("name");
    }
    EXPECT_EQ(attribute(received[0], "messaging.message.id"), attribute(received[1], "messaging.message.id"));
    std::set<std::string> conversations;
    for (const span& each : {placed, received[0], received[1], handled[1], invoiced, handled_invoice}) {
        conversations.insert(attribute(each, "messaging.message.conversation_id"));
    }
    EXPECT_THAT(conversations, SizeIs(1));
}

} // namespace
} // namespace ferry::scenarios

#include "../shop.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/naming.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>

namespace ferry::scenarios {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

using lines = std::vector<std::string>;

std::string broker_address() {
    const char* const url = std::getenv("FERRY_RABBITMQ_URL");
    return url == nullptr ? "amqp://127.0.0.1" : url;
}

std::string in_quotes(std::string_view argument) { return "'" + std::string{argument} + "'"; }

/// Runs the client beside this file, and returns what it prints.
lines pika(const lines& arguments) {
    std::string command = "FERRY_RABBITMQ_URL=" + in_quotes(broker_address()) + " python3 -B " FERRY_PIKA_CLIENT;
    for (const std::string& each : arguments) {
        command += " " + in_quotes(each);
    }
    std::FILE* const program = popen(command.c_str(), "r");
    if (program == nullptr) {
        throw std::runtime_error{"there is no shell to run " + command};
    }
    std::string printed;
    std::array<char, 4096> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), program)) {
        printed.append(part.data(), count);
    }
    EXPECT_EQ(pclose(program), 0) << command;
    lines all;
    std::istringstream in{printed};
    for (std::string line; std::getline(in, line);) {
        all.push_back(line);
    }
    return all;
}

/// Names that only one test uses.
class names_of_a_test final : public naming {
public:
    [[nodiscard]] std::string exchange(const message_type& message) const override {
        return naming::exchange(message) + suffix_;
    }
    [[nodiscard]] std::string message_queue(const message_type& message) const override {
        return naming::message_queue(message) + suffix_;
    }
    [[nodiscard]] std::string subscriber_queue(std::string_view service, std::string_view handler) const override {
        return naming::subscriber_queue(service, handler) + suffix_;
    }

private:
    std::string suffix_ = "." + std::to_string(std::random_device{}());
};

/// A service on RabbitMQ, and a program in another language that shares nothing but the broker with it.
class Pika : public ::testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<bus_builder> service(const std::string& name,
                                                       const amqp::transport_options& options = {}) {
        auto builder = std::make_unique<bus_builder>(name);
        builder->transport(amqp::transport{broker_address(), options})
            .naming(names)
            .log([this](log_level, std::string_view line) { log.add(std::string{line}); });
        return builder;
    }
    [[nodiscard]] static std::unique_ptr<bus> started(bus_builder& builder) {
        auto running = std::make_unique<bus>(builder.build());
        running->start();
        return running;
    }
    template <typename Message> [[nodiscard]] std::string queue_of() const {
        return names->message_queue(message_type::of<Message>());
    }
    template <typename Message> [[nodiscard]] static std::string type() {
        return "type=" + message_type::of<Message>().urn;
    }

    record<std::string> log;
    std::shared_ptr<const naming> names = std::make_shared<names_of_a_test>();
};

TEST_F(Pika, sends_a_plain_json_body_with_nothing_but_its_type) { // B3
    record<std::string> shipped;
    auto builder = service("shipping");
    builder->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    const auto shipping = started(*builder);

    pika({"publish", "", queue_of<ship_order>(), R"({"order_id": "17", "colour": "red"})", type<ship_order>()});

    ASSERT_TRUE(shipped.reaches(1));
    EXPECT_EQ(shipped.all(), lines{"17"});
}

TEST_F(Pika, sends_a_message_without_any_property_whose_type_its_routing_key_tells) { // B3
    record<std::string> shipped;
    const std::string key = queue_of<ship_order>();
    auto builder = service("shipping", {.types_by_routing_key = {{key, message_type::of<ship_order>().urn}}});
    builder->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    const auto shipping = started(*builder);

    pika({"publish", "", key, R"({"order_id": "17"})"});

    ASSERT_TRUE(shipped.reaches(1));
    EXPECT_EQ(shipped.all(), lines{"17"});
}

TEST_F(Pika, publishes_to_the_exchange_of_an_event) { // B3
    record<int> ordered;
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed& order) { ordered.add(order.quantity); });
    const auto billing = started(*builder);

    pika({"publish", names->exchange(message_type::of<order_placed>()), "", R"({"order_id": "17", "quantity": 3})",
          type<order_placed>()});

    ASSERT_TRUE(ordered.reaches(1));
    EXPECT_EQ(ordered.all(), std::vector{3});
}

// Integers only, here and below: pika writes no other numbers, and cuts off what is behind the point of what it reads.
TEST_F(Pika, sends_headers_that_keep_their_types) { // B3
    record<headers> seen;
    auto builder = service("shipping");
    builder->serve<ship_order>([&](const ship_order&, consume_context& context) { seen.add(context.headers()); });
    const auto shipping = started(*builder);

    pika({"publish", "", queue_of<ship_order>(), R"({"order_id": "17"})", type<ship_order>(), "header.colour=\"red\"",
          "header.parts=3", "header.tags=[\"a\", 1]", "header.urgent=True"});

    ASSERT_TRUE(seen.reaches(1));
    EXPECT_EQ(seen.all().front(),
              (headers{{"colour", "red"}, {"parts", 3}, {"tags", header_value::array{"a", 1}}, {"urgent", true}}));
}

TEST_F(Pika, reads_what_ferry_publishes) { // B3
    record<envelope> seen;
    auto builder = service("billing");
    builder->handle<order_placed>([&](const order_placed&, consume_context& context) { seen.add(context.envelope()); });
    const auto billing = started(*builder);
    const std::string queue = names->message_queue(message_type::of<order_placed>()) + ".pika";
    pika({"bind", queue, names->exchange(message_type::of<order_placed>())});

    billing->publish(
        order_placed{"17", 3},
        {.headers = {{"urgent", true}, {"parts", 3}, {"colour", "red"}, {"tags", header_value::array{"a", 1}}}});
    ASSERT_TRUE(seen.reaches(1));
    const envelope message = seen.all().front();

    const lines read = pika({"take", queue});
    EXPECT_THAT(read, IsSupersetOf(lines{
                          R"(body: {"order_id":"17","quantity":3})",
                          "content_type: application/json",
                          "type: " + message_type::of<order_placed>().urn,
                          "message_id: " + message.message_id.to_string(),
                          "delivery_mode: 2",
                          "app_id: " + message.source.to_string(),
                          "header.urgent: bool True",
                          "header.parts: int 3",
                          "header.colour: str red",
                          "header.tags: list ['a', 1]",
                      }));
    EXPECT_THAT(read, Contains(StartsWith("timestamp: ")));
    EXPECT_THAT(read, Not(Contains(StartsWith("header.x-ferry-kind: "))));            // it came through an exchange
    EXPECT_THAT(read, Not(Contains(StartsWith("header.x-ferry-conversation-id: ")))); // it begins one
    EXPECT_EQ(message.conversation_id, message.message_id);
}

TEST_F(Pika, gets_the_reply_to_its_request_with_its_own_correlation_id) { // B3
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label& order) { return label_printed{"label " + order.order_id}; });
    const auto labels = started(*builder);

    const lines reply = pika({"request", queue_of<print_label>(), R"({"order_id": "17"})", type<print_label>(),
                              "correlation_id=no. 17, by pika"});

    EXPECT_THAT(reply, IsSupersetOf(lines{
                           "correlation_id: no. 17, by pika",
                           "type: " + message_type::of<label_printed>().urn,
                           R"(body: {"label":"label 17"})",
                       }));
}

TEST_F(Pika, breaks_nothing_by_asking_for_a_reply_to_nowhere) { // B84
    record<std::string> printed;
    auto builder = service("labels");
    builder->serve<print_label>([&](const print_label& order) {
        printed.add(order.order_id);
        return label_printed{"label " + order.order_id};
    });
    const auto labels = started(*builder);

    for (const char* exchange : {"nowhere", "amq.rabbitmq.trace"}) {
        pika({"publish", "", queue_of<print_label>(), R"({"order_id": "17"})", type<print_label>(),
              R"(header.x-ferry-kind="request")", "header.x-ferry-response=\"exchange:" + std::string{exchange} + '"'});
    }
    ASSERT_TRUE(printed.reaches(2));
    const lines reply = pika({"request", queue_of<print_label>(), R"({"order_id": "18"})", type<print_label>()});

    EXPECT_THAT(reply, Contains(R"(body: {"label":"label 18"})"));
    EXPECT_THAT(log.all(), Not(Contains(::testing::HasSubstr("no connection to"))));
}

TEST_F(Pika, hears_of_a_failure_with_its_own_correlation_id) { // B3
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label&) -> label_printed { throw std::runtime_error{"no paper"}; });
    const auto labels = started(*builder);

    const lines reply = pika({"request", queue_of<print_label>(), R"({"order_id": "17"})", type<print_label>(),
                              "correlation_id=no. 18, by pika"});

    EXPECT_THAT(reply, Contains("correlation_id: no. 18, by pika"));
    EXPECT_THAT(reply, Contains(::testing::HasSubstr("no paper")));
}

} // namespace
} // namespace ferry::scenarios

#include "transport_suite.hpp"

#include <algorithm>
#include <future>
#include <random>

namespace ferry::testing {

// A program may hold the suite without a transport; whoever links it brings one.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TransportSuite);

TransportSuite::TransportSuite()
    : harness_{GetParam().make_harness()}, prefix_{"suite-" + std::to_string(std::random_device{}()) + "-"} {}

TransportSuite::~TransportSuite() {
    shop.stop();
    billing.stop();
    harness_->clean_up(declared_);
}

std::string TransportSuite::unique(std::string_view name) const { return prefix_ + std::string{name}; }

void TransportSuite::declare(test_service& service, const topology& wanted) {
    service->declare(wanted);
    std::ranges::copy(wanted.queues, std::back_inserter(declared_.queues));
    std::ranges::copy(wanted.exchanges, std::back_inserter(declared_.exchanges));
}

std::string TransportSuite::a_queue(std::string_view name) {
    std::string queue = unique(name);
    declare(shop, {.queues = {{.name = queue}}});
    return queue;
}

std::string TransportSuite::an_exchange(std::string_view name, const std::vector<address>& targets) {
    std::string exchange = unique(name);
    topology wanted{.exchanges = {{.name = exchange}}};
    for (const address& each : targets) {
        wanted.bindings.push_back({exchange, each});
    }
    declare(shop, wanted);
    return exchange;
}

send_outcome TransportSuite::send(test_service& service, const envelope& message) {
    auto promise = std::make_shared<std::promise<send_outcome>>();
    std::future<send_outcome> outcome = promise->get_future();
    service->send(message, [promise](send_outcome result) { promise->set_value(std::move(result)); });
    if (outcome.wait_for(longest_wait) != std::future_status::ready) {
        throw error{"no outcome came for the message to " + message.destination.to_string()};
    }
    return outcome.get();
}

void TransportSuite::send_numbered(test_service& service, const address& destination, int count) {
    for (const std::string& each : numbers(count)) {
        ASSERT_EQ(send(service, a_message_to(destination, each)).status, send_status::confirmed);
    }
}

envelope a_message_to(const address& destination, std::string_view body) {
    envelope message;
    message.message_type = "urn:message:shop:order-placed";
    message.content_type = "application/json";
    message.destination = destination;
    message.body.assign(body);
    return message;
}

std::vector<std::string> numbers(int count) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) {
        texts.push_back(std::to_string(i));
    }
    return texts;
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
    std::ranges::sort(texts);
    return texts;
}

std::string text_of(const std::exception_ptr& error) {
    try {
        if (error) {
            std::rethrow_exception(error);
        }
    } catch (const std::exception& thrown) {
        return thrown.what();
    }
    return {};
}

} // namespace ferry::testing

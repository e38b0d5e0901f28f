#pragma once

#include <ferry/memory/transport.hpp>
#include <ferry/testing/manual_clock.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/test_host.hpp>
#include <support/test_sinks.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::testing {

/// A started transport at a broker with a queue "orders", and a clock that stands still.
class memory_fixture : public ::testing::Test {
protected:
    explicit memory_fixture(const memory::broker_options& options = {})
        : broker{std::make_shared<memory::broker>(options, clock{time})} {
        transport.start(host.lend());
        transport.declare({.queues = {{.name = "orders"}}});
    }

    static envelope an_order(std::string_view body = "hello") { return a_message_to(address::queue("orders"), body); }
    static envelope a_message_to(const address& destination, std::string_view body) {
        envelope message;
        message.destination = destination;
        message.body.assign(body);
        return message;
    }

    /// Sends, and expects the outcome before the call returns.
    send_outcome send(const envelope& message) {
        std::optional<send_outcome> outcome;
        transport.send(message, [&](send_outcome result) { outcome = std::move(result); });
        EXPECT_TRUE(outcome.has_value());
        return outcome.value_or(send_outcome{send_status::failed, {}});
    }
    void send_orders(const std::vector<std::string>& bodies) {
        for (const std::string& body : bodies) {
            ASSERT_EQ(send(an_order(body)).status, send_status::confirmed);
        }
    }

    [[nodiscard]] std::vector<std::string> waiting(std::string_view queue = "orders") const {
        std::vector<std::string> bodies;
        for (const envelope& each : broker->messages(queue)) {
            bodies.emplace_back(each.body.view());
        }
        return bodies;
    }

    manual_clock time;
    test_host host{clock{time}};
    std::shared_ptr<memory::broker> broker;
    memory::transport transport{broker};
};

/// What a ferry::error thrown by `act` says; empty when it threw none.
template <typename Act> std::string error_of(Act&& act) {
    try {
        act();
    } catch (const error& thrown) {
        return thrown.what();
    }
    return {};
}

} // namespace ferry::testing

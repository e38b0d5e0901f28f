#pragma once

#include "faulty_proxy.hpp"
#include "management.hpp"
#include "rabbit_messages.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/ferry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/eventually.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ferry::scenarios {

using namespace std::chrono_literals;
using testing::watched;

/// A virtual host of its own for each test, and a network to it that can break.
class rabbit_shop : public ::testing::Test {
protected:
    explicit rabbit_shop(testing::management where = {}) : broker{where} {
        const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
        vhost = std::string{test->name()} + "-" + std::to_string(::getpid());
        std::ranges::replace(vhost, '/', '-');
        broker.make_vhost(vhost);
    }
    void TearDown() override { broker.remove("/api/vhosts/" + vhost); }

    [[nodiscard]] std::string url(std::uint16_t port) const {
        return "amqp://127.0.0.1:" + std::to_string(port) + "/" + vhost;
    }
    /// Quick to notice and quick to come back, so that tests are quick.
    [[nodiscard]] static amqp::transport_options impatient() {
        amqp::transport_options options;
        options.heartbeat = 1s;
        options.reconnect = {.base_delay = 20ms, .max_delay = 200ms};
        options.send_timeout = 10s;
        return options;
    }
    [[nodiscard]] static amqp::transport_options impatient(amqp::queue_type queues) {
        amqp::transport_options options = impatient();
        options.queues = queues;
        return options;
    }
    [[nodiscard]] std::unique_ptr<bus_builder> service(const std::string& name,
                                                       const amqp::transport_options& options = impatient()) {
        auto builder = std::make_unique<bus_builder>(name);
        builder->transport(amqp::transport{url(network.port()), options});
        builder->log([this](log_level, std::string_view line) {
            log.change([&](std::vector<std::string>& lines) { lines.emplace_back(line); });
        });
        return builder;
    }
    [[nodiscard]] static std::unique_ptr<bus> started(bus_builder& builder) {
        auto running = std::make_unique<bus>(builder.build());
        running->start();
        return running;
    }
    [[nodiscard]] bool logged(const std::string& part) const {
        return log.eventually([&](const std::vector<std::string>& lines) {
            return std::ranges::any_of(lines, [&](const std::string& each) { return each.contains(part); });
        });
    }
    [[nodiscard]] std::string queue_path(const std::string& queue) const {
        return "/api/queues/" + vhost + "/" + queue;
    }

    [[nodiscard]] bool is_there(const std::string& path) const {
        try {
            return !broker.get(path).empty();
        } catch (const std::runtime_error&) {
            return false;
        }
    }
    /// Publishes until the broker has confirmed the message; whoever is told of a failure tries again.
    static void publish_surely(bus& where, const std::string& id) {
        while (true) {
            try {
                return where.publish(order_placed{id});
            } catch (const transport_error& failure) {
                ASSERT_TRUE(failure.is_transient()) << failure.what();
            }
        }
    }

    /// Whatever came twice has said so. What is still to come from before comes before what is published now.
    static void expect_nothing_twice(bus& from, const class handled_orders& seen);

    testing::management broker;
    std::string vhost;
    testing::faulty_proxy network{broker.amqp_port()};
    watched<std::vector<std::string>> log;
};

/// Says in the name of a test which queues it is about.
inline std::string name_of(const ::testing::TestParamInfo<amqp::queue_type>& queues) {
    return queues.param == amqp::queue_type::quorum ? "quorum" : "classic";
}

/// How often each message was handled, and whether a second time was announced as one.
class handled_orders {
public:
    void add(const order_placed& order, consume_context& context) {
        const bool announced = context.delivery().earlier_deliveries() > 0;
        seen_.change([&](auto& all) {
            ++all[order.order_id];
            if (all[order.order_id] > 1 && !announced) {
                unannounced_.push_back(order.order_id);
            }
        });
    }
    [[nodiscard]] bool have_all(const std::vector<std::string>& ids) const {
        return seen_.eventually([&](const auto& all) {
            return std::ranges::all_of(ids, [&](const auto& id) { return all.contains(id); });
        });
    }
    [[nodiscard]] bool have_any(const std::vector<std::string>& ids) const {
        return seen_.look([&](const auto& all) {
            return std::ranges::any_of(ids, [&](const auto& id) { return all.contains(id); });
        });
    }
    [[nodiscard]] bool reach(std::size_t count) const {
        return seen_.eventually([&](const auto& all) { return all.size() >= count; });
    }
    [[nodiscard]] int times(const std::string& id) const {
        return seen_.look([&](const auto& all) { return all.contains(id) ? all.at(id) : 0; });
    }
    [[nodiscard]] std::vector<std::string> unannounced() const {
        return seen_.look([&](const auto&) { return unannounced_; });
    }

private:
    watched<std::map<std::string, int>> seen_;
    std::vector<std::string> unannounced_;
};

inline void rabbit_shop::expect_nothing_twice(bus& from, const handled_orders& seen) {
    static std::atomic<int> number{0};
    const std::string last = "the last one, " + std::to_string(++number);
    publish_surely(from, last);
    EXPECT_TRUE(seen.have_all({last}));
    EXPECT_THAT(seen.unannounced(), ::testing::IsEmpty());
}

} // namespace ferry::scenarios

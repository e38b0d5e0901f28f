#pragma once

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/testing/manual_clock.hpp>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/eventually.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ferry::scenarios {

using namespace std::chrono_literals;
using testing::watched;

struct order_placed {
    std::string order_id;
    int quantity = 1;
};
struct invoice_created {
    std::string order_id;
};
struct ship_order {
    std::string order_id;
};
struct print_label {
    std::string order_id;
};
struct label_printed {
    std::string label;
};

/// What handlers have seen, in order; tests wait until it is what they expect.
template <typename Value> class record {
public:
    void add(Value value) {
        seen_.change([&](std::vector<Value>& all) { all.push_back(std::move(value)); });
    }
    [[nodiscard]] bool reaches(std::size_t count) const {
        return seen_.eventually([&](const std::vector<Value>& all) { return all.size() >= count; });
    }
    template <typename Condition> [[nodiscard]] bool eventually_contains(Condition condition) const {
        return seen_.eventually([&](const std::vector<Value>& all) { return std::ranges::any_of(all, condition); });
    }
    [[nodiscard]] std::vector<Value> all() const { return seen_.get(); }

private:
    watched<std::vector<Value>> seen_;
};

/// A broker and the services of one test on it. Log lines are kept, not printed.
class shop : public ::testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<bus_builder> service(const std::string& name) {
        auto builder = std::make_unique<bus_builder>(name);
        builder->transport(memory::transport{broker}).log([this](log_level, std::string_view line) {
            log.add(std::string{line});
        });
        return builder;
    }

    [[nodiscard]] static std::unique_ptr<bus> started(bus_builder& builder) {
        auto running = std::make_unique<bus>(builder.build());
        running->start();
        return running;
    }

    /// Sends an envelope as it is, as a foreign program would.
    void inject(const std::string& queue, envelope raw) {
        memory::transport foreign{broker};
        boost::asio::io_context io;
        foreign.start({io, clock{}});
        raw.destination = address::queue(queue);
        foreign.send(raw, [](const send_outcome& outcome) { EXPECT_EQ(outcome.status, send_status::confirmed); });
        foreign.stop();
    }

    [[nodiscard]] static envelope order(const std::string& body) {
        envelope raw;
        raw.message_type = message_type::of<order_placed>().urn;
        raw.body = buffer{body};
        return raw;
    }

    record<std::string> log;
    std::shared_ptr<memory::broker> broker = std::make_shared<memory::broker>();
};

} // namespace ferry::scenarios

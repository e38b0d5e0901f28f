#pragma once

#include <ferry/transport.hpp>

#include <support/eventually.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace ferry::testing {

[[nodiscard]] inline envelope unpacked(const delivery& each) {
    envelope message;
    each.content().unpack(message);
    return message;
}

[[nodiscard]] inline std::string body_of(const delivery& each) { return std::string{unpacked(each).body.view()}; }

/// Holds every delivery until the test settles it.
class holding_sink final : public delivery_sink {
public:
    void deliver(std::span<delivery> deliveries) override {
        held_.change([&](auto& held) { std::ranges::move(deliveries, std::back_inserter(held)); });
    }

    [[nodiscard]] bool await(std::size_t count) const {
        return held_.eventually([count](const auto& held) { return held.size() >= count; });
    }
    [[nodiscard]] std::size_t size() const {
        return held_.look([](const auto& held) { return held.size(); });
    }
    [[nodiscard]] std::vector<delivery> take_all() { return held_.take(); }

    /// Waits for a delivery and takes the first; an empty one when none comes.
    [[nodiscard]] delivery take_one() {
        delivery first;
        held_.change_when([](const auto& held) { return !held.empty(); },
                          [&](auto& held) {
                              first = std::move(held.front());
                              held.erase(held.begin());
                          });
        return first;
    }

private:
    watched<std::vector<delivery>> held_;
};

/// Accepts every delivery and remembers what it said.
class accepting_sink final : public delivery_sink {
public:
    void deliver(std::span<delivery> deliveries) override {
        for (delivery& each : deliveries) {
            envelope message = unpacked(each);
            std::move(each).accept();
            seen_.change([&](auto& seen) { seen.push_back(std::move(message)); });
        }
    }

    [[nodiscard]] bool await(std::size_t count) const {
        return seen_.eventually([count](const auto& seen) { return seen.size() >= count; });
    }
    [[nodiscard]] std::vector<envelope> messages() const { return seen_.get(); }
    [[nodiscard]] std::vector<std::string> bodies() const {
        return seen_.look([](const auto& seen) {
            std::vector<std::string> bodies;
            for (const envelope& each : seen) {
                bodies.emplace_back(each.body.view());
            }
            return bodies;
        });
    }

private:
    watched<std::vector<envelope>> seen_;
};

} // namespace ferry::testing

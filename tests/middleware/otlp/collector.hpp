#pragma once

#include <nlohmann/json.hpp>
#include <support/child_process.hpp>
#include <support/eventually.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ferry::testing {

/// A collector of the test's own, beside this file: what it is sent over HTTP and gRPC, decoded.
class collector {
public:
    using item = nlohmann::json;
    using condition = std::function<bool(const item&)>;

    /// `manner`: "take", "refuse", "hang", or "hold" to take each export once the test says `let_one_through`.
    explicit collector(const std::string& manner = "take");

    [[nodiscard]] std::string http_url() const { return url(http_port_); }
    [[nodiscard]] std::string grpc_url() const { return url(grpc_port_); }
    void change_to(const std::string& manner) const { process_.write(manner); }
    void let_one_through() const { process_.write("next"); }

    /// Everything of a signal ("span", "metric", "log", "refuse", "hang", "hold") so far, in the order it came.
    [[nodiscard]] std::vector<item> received(const std::string& signal) const;
    /// The first that is as wanted, once it is there; null when patience ran out.
    [[nodiscard]] item eventually(const std::string& signal, const condition& wanted) const;
    [[nodiscard]] item span(const std::string& name) const;
    [[nodiscard]] item metric(const std::string& name) const;

private:
    [[nodiscard]] static std::string url(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

    watched<std::vector<item>> received_;
    std::uint16_t http_port_ = 0;
    std::uint16_t grpc_port_ = 0;
    child_process process_;
};

} // namespace ferry::testing

#pragma once

#include <cstdint>
#include <string>

namespace ferry::testing {

/// A broker and its management API.
class management {
public:
    /// The broker of the test run.
    management();
    management(std::uint16_t amqp_port, std::uint16_t http_port) noexcept
        : amqp_port_{amqp_port}, http_port_{http_port} {}

    [[nodiscard]] std::uint16_t amqp_port() const noexcept { return amqp_port_; }
    /// Answers with the body of the response. Throws when the broker says no.
    std::string get(const std::string& path) const { return request("GET", path, ""); }
    void put(const std::string& path, const std::string& body = "{}") const { request("PUT", path, body); }
    std::string post(const std::string& path, const std::string& body) const { return request("POST", path, body); }
    void remove(const std::string& path) const { request("DELETE", path, ""); }

    /// A virtual host of its own for a test, with nothing in it.
    void make_vhost(const std::string& name) const;

private:
    std::string request(const std::string& verb, const std::string& path, const std::string& body) const;

    std::uint16_t amqp_port_ = 0;
    std::uint16_t http_port_ = 0;
};

} // namespace ferry::testing

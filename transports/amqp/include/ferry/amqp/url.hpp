#pragma once

#include <ferry/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::amqp {

struct server {
    std::string host = {}; ///< an IPv6 address without its brackets
    std::uint16_t port = 5672;

    friend bool operator==(const server&, const server&) = default;
};

/// Where a broker is and who asks: what `amqp://user:password@host:port,host2:port/vhost?heartbeat=10` says. What it
/// leaves out has the value given here, and the ports are 5672, or 5671 with amqps. Other characters than letters and
/// digits are percent-encoded in everything but hosts: the virtual host "/" is `%2f`. It is also meant where no path is
/// given and by the path `/` alone, which some clients take for a virtual host without a name.
struct broker_url {
    bool tls = false;
    std::vector<server> servers = {};
    std::string user = "guest";
    std::string password = "guest";
    std::string vhost = "/";
    std::optional<std::chrono::seconds> heartbeat = {}; ///< `heartbeat=10`; zero switches it off
    std::optional<duration> connect_timeout = {};       ///< `connection_timeout=5000`, in milliseconds
    std::optional<std::string> name = {};               ///< `name=billing`, for the broker's list of connections

    /// Throws a ferry::error that says which part is wrong, and never shows the password.
    [[nodiscard]] static broker_url parse(std::string_view text);
    /// For logs: without the password.
    [[nodiscard]] std::string to_string() const;
};

} // namespace ferry::amqp

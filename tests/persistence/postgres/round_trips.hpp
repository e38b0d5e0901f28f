#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

namespace ferry::testing {

/// A way to the server that counts how often a client spoke and then waited for an answer.
class round_trips {
public:
    explicit round_trips(std::uint16_t server_port);
    round_trips(const round_trips&) = delete;
    round_trips& operator=(const round_trips&) = delete;
    ~round_trips();

    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    /// Since the last call.
    [[nodiscard]] int counted() noexcept { return count_.exchange(0); }

private:
    class session;
    void accept();

    boost::asio::io_context io_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    std::uint16_t server_port_;
    std::uint16_t port_;
    std::atomic<int> count_{0};
    std::thread thread_;
};

} // namespace ferry::testing

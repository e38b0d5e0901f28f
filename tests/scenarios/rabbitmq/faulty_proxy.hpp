#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ferry::testing {

/// A network between a client and its broker that can break in every way a network breaks. Listens on a port of
/// 127.0.0.1 and passes on to another one.
class faulty_proxy {
public:
    explicit faulty_proxy(std::uint16_t broker_port);
    faulty_proxy(const faulty_proxy&) = delete;
    faulty_proxy& operator=(const faulty_proxy&) = delete;
    ~faulty_proxy();

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    /// How many connections were ever made through it.
    [[nodiscard]] int connections() const noexcept { return connections_; }

    /// Resets every connection there is.
    void cut();
    /// While it is on, new connections are reset at once.
    void refuse(bool on) { most_connections_ = on ? 0 : all; }
    /// Resets new connections at once when that many were made.
    void refuse_after(int connections) { most_connections_ = connections; }
    /// Resets every connection there is as soon as the broker has said that many more bytes.
    void cut_after(long bytes) { until_cut_ = bytes; }
    /// While it is on, nothing is passed on either way, and nobody is told.
    void swallow(bool on) { deaf_ = mute_ = on; }
    /// While it is on, nothing of what the broker says is passed on.
    void swallow_from_broker(bool on) { deaf_ = on; }
    /// While it is on, nothing of what the client says is passed on.
    void swallow_from_client(bool on) { mute_ = on; }
    /// While it is on, nothing more is read of what the client says, which fills its network first.
    void hold_client(bool on);
    /// How many bytes of the client's were ever passed on.
    [[nodiscard]] long passed_on_from_client() const noexcept { return from_client_; }
    /// How often something was swallowed.
    [[nodiscard]] int swallowed() const noexcept { return swallowed_; }
    /// Of what the broker says on connections that are made from now on, the next such method is lost. Those are its
    /// numbers in the protocol.
    void lose(std::uint16_t of_class, std::uint16_t method) { to_lose_ = std::uint32_t{of_class} << 16U | method; }
    /// While it is on, everything comes in pieces of one byte.
    void trickle(bool on) { trickling_ = on; }

private:
    class session;
    void accept();
    void end_all();

    boost::asio::io_context io_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    std::uint16_t broker_port_;
    std::uint16_t port_;
    std::vector<std::weak_ptr<session>> sessions_;
    std::atomic<int> connections_{0};
    static constexpr int all = std::numeric_limits<int>::max();
    std::atomic<int> most_connections_{all};
    std::atomic<bool> deaf_{false};
    std::atomic<bool> mute_{false};
    std::atomic<bool> holding_{false};
    std::atomic<long> from_client_{0};
    std::atomic<int> swallowed_{0};
    std::atomic<long> until_cut_{-1};
    std::atomic<bool> trickling_{false};
    static constexpr std::uint32_t nothing = 0;
    std::atomic<std::uint32_t> to_lose_{nothing};
    std::thread thread_;
};

} // namespace ferry::testing

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <string>
#include <thread>

namespace ferry::prometheus {

/// Answers GET /metrics on 127.0.0.1: some connections at once, each for some seconds; the others wait to be let in.
class server {
public:
    static constexpr int most_connections = 16; ///< scrapers are few

    server(unsigned short port, std::function<std::string()> text);
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server();

    [[nodiscard]] unsigned short port() const { return acceptor_.local_endpoint().port(); }

private:
    void accept();
    void accept_later();

    std::function<std::string()> text_;
    boost::asio::io_context io_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_{io_};
    int connections_ = 0;
    std::jthread thread_;
};

} // namespace ferry::prometheus

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <string>
#include <thread>

namespace ferry::prometheus {

/// Answers GET /metrics on 127.0.0.1, one connection after the other, each within some seconds.
class server {
public:
    server(unsigned short port, std::function<std::string()> text);
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server();

    [[nodiscard]] unsigned short port() const { return acceptor_.local_endpoint().port(); }

private:
    void accept();

    std::function<std::string()> text_;
    boost::asio::io_context io_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    std::jthread thread_;
};

} // namespace ferry::prometheus

#include "http_customer.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <stdexcept>

namespace shop {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

class http_customer::connection {
public:
    explicit connection(std::uint16_t port) {
        socket_.connect({boost::asio::ip::make_address("127.0.0.1"), port});
        socket_.set_option(tcp::no_delay{true});
    }

    response post(const std::string& body) {
        http::request<http::string_body> asked{http::verb::post, "/orders", 11, body};
        asked.set(http::field::host, "127.0.0.1");
        asked.set(http::field::content_type, "application/json");
        asked.prepare_payload();
        http::write(socket_, asked);
        response heard;
        http::read(socket_, bytes_, heard);
        return heard;
    }

private:
    boost::asio::io_context io_;
    tcp::socket socket_{io_};
    boost::beast::flat_buffer bytes_;
};

http_customer::http_customer(std::uint16_t port) : port_{port} {}
http_customer::~http_customer() = default;

void http_customer::place(const order& wanted) {
    const auto answer = post(to_json(wanted));
    if (answer.result() != http::status::created && answer.result() != http::status::ok) {
        throw std::runtime_error{"the shop did not take an order: " + answer.body()};
    }
}

// The shop hangs up on customers who say nothing for long. Asking again does no harm: the order has an id.
http_customer::response http_customer::post(const std::string& body) {
    try {
        if (connection_) {
            return connection_->post(body);
        }
    } catch (const boost::system::system_error&) {
        connection_.reset();
    }
    connection_ = std::make_unique<connection>(port_);
    return connection_->post(body);
}

} // namespace shop

#include "server.hpp"

#include <ferry/error.hpp>
#include <ferry/prometheus/exporter.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace ferry::prometheus {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::chrono::seconds longest_exchange{10}; // nobody keeps a connection open for nothing
constexpr std::chrono::milliseconds after_failure{100};

http::response<http::string_body> answer_to(const http::request<http::empty_body>& asked,
                                            const std::function<std::string()>& text) {
    http::response<http::string_body> answer{http::status::ok, asked.version()};
    const auto refuse = [&](http::status why, std::string what) {
        answer.result(why);
        answer.set(http::field::content_type, "text/plain; charset=utf-8");
        answer.body() = std::move(what);
    };
    if (asked.method() != http::verb::get) {
        answer.set(http::field::allow, "GET");
        refuse(http::status::method_not_allowed, "only GET is answered here\n");
    } else if (asked.target() != "/metrics" && !asked.target().starts_with("/metrics?")) {
        refuse(http::status::not_found, "the metrics are at /metrics\n");
    } else {
        answer.set(http::field::content_type, exporter::content_type);
        answer.body() = text();
    }
    answer.keep_alive(false);
    answer.prepare_payload();
    return answer;
}

asio::awaitable<void> serve(tcp::socket connection, const std::function<std::string()>& text) {
    boost::beast::tcp_stream stream{std::move(connection)};
    stream.expires_after(longest_exchange);
    boost::beast::flat_buffer received{8 * 1024}; // a longer request is none of ours
    http::request<http::empty_body> asked;
    co_await http::async_read(stream, received, asked, asio::use_awaitable);
    auto answer = answer_to(asked, text);
    co_await http::async_write(stream, answer, asio::use_awaitable);
    stream.socket().shutdown(tcp::socket::shutdown_send);
}

tcp::acceptor listening(asio::io_context& io, unsigned short port) {
    try {
        return {io, tcp::endpoint{asio::ip::address_v4::loopback(), port}};
    } catch (const boost::system::system_error& failure) {
        throw error{"the metrics cannot be served on 127.0.0.1:" + std::to_string(port) + ": " +
                    failure.code().message() + "; serve(0) takes a free port"};
    }
}

} // namespace

server::server(unsigned short port, std::function<std::string()> text)
    : text_{std::move(text)}, acceptor_{listening(io_, port)} {
    accept();
    thread_ = std::jthread{[this] { io_.run(); }};
}

server::~server() { io_.stop(); }

void server::accept() {
    acceptor_.async_accept([this](const boost::system::error_code& failure, tcp::socket connection) {
        if (failure) {
            return accept_later();
        }
        // What goes wrong with one connection is the matter of whoever made it.
        asio::co_spawn(io_, serve(std::move(connection), text_), [this](const std::exception_ptr& /*failure*/) {
            if (connections_-- == most_connections) {
                accept();
            }
        });
        if (++connections_ < most_connections) {
            accept();
        }
    });
}

// The connection that could not be accepted is still there, so the next attempt would fail as soon as this one did.
void server::accept_later() {
    pause_.expires_after(after_failure);
    pause_.async_wait([this](const boost::system::error_code& /*never*/) { accept(); });
}

} // namespace ferry::prometheus

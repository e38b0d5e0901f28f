#include "http_door.hpp"

#include "http_answers.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace shop {

namespace http = boost::beast::http;
namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

constexpr auto outcome = asio::as_tuple(asio::use_awaitable);
constexpr std::uint64_t largest_body = 64 * 1024;
constexpr std::uint32_t largest_header = 8 * 1024;
constexpr auto patience = 10s; // with one who is slow to ask, or to listen

tcp::acceptor listen(asio::io_context& io, std::uint16_t port) {
    try {
        return {io, {asio::ip::make_address("127.0.0.1"), port}};
    } catch (const boost::system::system_error& failure) {
        throw std::runtime_error{"cannot take orders at 127.0.0.1:" + std::to_string(port) + ": " +
                                 failure.code().message() + "; choose another --port"};
    }
}

/// The answer to what could not be read; none when nobody waits for one.
std::optional<http_response> refusal_of(const boost::system::error_code& failure) {
    if (failure == http::error::body_limit) {
        return refusal(http::status::payload_too_large, "an order has at most 64 KiB");
    }
    if (failure == http::error::header_limit) {
        return refusal(http::status::request_header_fields_too_large, "the header has at most 8 KiB");
    }
    const bool nobody_there = failure == http::error::end_of_stream || failure == http::error::partial_message;
    if (!nobody_there && failure.category() == http::make_error_code(http::error::bad_method).category()) {
        return refusal(http::status::bad_request, "this is not HTTP: " + failure.message());
    }
    return std::nullopt;
}

} // namespace

class http_door::server {
public:
    server(std::uint16_t port, order_desk& desk, ferry::log_function log)
        : desk_{desk}, log_{std::move(log)}, acceptor_{listen(io_, port)} {
        asio::co_spawn(io_, let_in(), asio::detached);
        thread_ = std::jthread{[this] { io_.run(); }};
    }
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server() {
        asio::post(io_, [this] {
            closing_ = true;
            end_when_all_are_served();
        });
        thread_.join();
    }

    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
    asio::awaitable<void> let_in() {
        while (true) {
            auto [failure, client] = co_await acceptor_.async_accept(outcome);
            if (!failure) {
                asio::co_spawn(io_, serve(boost::beast::tcp_stream{std::move(client)}), asio::detached);
                continue;
            }
            asio::steady_timer pause{io_, 100ms}; // too many are inside, say
            co_await pause.async_wait(outcome);
        }
    }

    // Placing an order blocks this thread for the length of a commit. A service with more to do places on a pool.
    asio::awaitable<void> serve(boost::beast::tcp_stream client) {
        boost::beast::flat_buffer bytes;
        for (bool more = true; more;) {
            http::request_parser<http::string_body> parser;
            parser.body_limit(largest_body);
            parser.header_limit(largest_header);
            client.expires_after(patience);
            const auto [failure, size] = co_await http::async_read(client, bytes, parser, outcome);
            std::optional<http_response> answer =
                failure ? refusal_of(failure) : std::optional{answer_to(parser.get(), desk_, log_)};
            if (!answer) {
                co_return;
            }
            more = !failure && parser.get().keep_alive() && !closing_;
            co_await send(client, *answer, more);
        }
        boost::system::error_code ignored;
        ignored = client.socket().shutdown(tcp::socket::shutdown_send, ignored);
    }

    asio::awaitable<void> send(boost::beast::tcp_stream& client, http_response& answer, bool more) {
        ++answering_;
        answer.keep_alive(more);
        answer.prepare_payload();
        client.expires_after(patience);
        co_await http::async_write(client, answer, outcome);
        --answering_;
        end_when_all_are_served();
    }

    void end_when_all_are_served() {
        if (closing_ && answering_ == 0) {
            io_.stop();
        }
    }

    order_desk& desk_;
    ferry::log_function log_;
    asio::io_context io_{1};
    tcp::acceptor acceptor_;
    bool closing_ = false;
    int answering_ = 0;
    std::jthread thread_;
};

void check_that_is_free(std::uint16_t port) {
    asio::io_context io;
    (void)listen(io, port);
}

http_door::http_door(std::uint16_t port, order_desk& desk, ferry::log_function log)
    : server_{std::make_unique<server>(port, desk, std::move(log))} {}
http_door::~http_door() = default;

std::uint16_t http_door::port() const { return server_->port(); }
void http_door::close() { server_.reset(); }

} // namespace shop

#include "management.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <cstdlib>
#include <stdexcept>

namespace ferry::testing {

namespace http = boost::beast::http;

namespace {

std::uint16_t port_in(const char* variable) {
    const char* const url = std::getenv(variable);
    if (url == nullptr) {
        throw std::runtime_error{std::string{variable} +
                                 " is not set; run this through scripts/test or scripts/services"};
    }
    const std::string text{url};
    return static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
}

} // namespace

management::management() : amqp_port_{port_in("FERRY_RABBITMQ_URL")}, http_port_{port_in("FERRY_RABBITMQ_HTTP")} {}

void management::make_vhost(const std::string& name) const {
    put("/api/vhosts/" + name);
    put("/api/permissions/" + name + "/guest", R"({"configure":".*","write":".*","read":".*"})");
}

std::string management::request(const std::string& verb, const std::string& path, const std::string& body) const {
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket socket{io};
    socket.connect({boost::asio::ip::address_v4::loopback(), http_port_});
    http::request<http::string_body> question{http::string_to_verb(verb), path, 11};
    question.set(http::field::host, "127.0.0.1");
    question.set(http::field::authorization, "Basic Z3Vlc3Q6Z3Vlc3Q="); // guest:guest
    question.set(http::field::content_type, "application/json");
    question.body() = body;
    question.prepare_payload();
    http::write(socket, question);
    boost::beast::flat_buffer buffer;
    http::response_parser<http::string_body> answer;
    answer.body_limit(64 << 20);
    http::read(socket, buffer, answer);
    if (answer.get().result_int() >= 300) {
        throw std::runtime_error{verb + " " + path + ": " + std::to_string(answer.get().result_int()) + " " +
                                 answer.get().body()};
    }
    return answer.get().body();
}

} // namespace ferry::testing

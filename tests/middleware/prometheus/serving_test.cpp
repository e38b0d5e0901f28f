#include "../../scenarios/shop.hpp"

#include <ferry/prometheus/exporter.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>

namespace ferry::scenarios {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using ::testing::HasSubstr;

class PrometheusEndpoint : public shop {
protected:
    PrometheusEndpoint() { running = started(*builder); }

    [[nodiscard]] static tcp::endpoint at(unsigned short port) {
        return {boost::asio::ip::address_v4::loopback(), port};
    }
    [[nodiscard]] static http::response<http::string_body> answer(unsigned short port, http::verb verb,
                                                                  const std::string& target) {
        boost::asio::io_context io;
        tcp::socket socket{io};
        socket.connect(at(port));
        http::request<http::string_body> asked{verb, target, 11};
        asked.set(http::field::host, "127.0.0.1");
        asked.prepare_payload();
        http::write(socket, asked);
        boost::beast::flat_buffer bytes;
        http::response<http::string_body> got;
        http::read(socket, bytes, got);
        return got;
    }

    std::unique_ptr<bus_builder> builder = service("billing");
    prometheus::exporter metrics{*builder};
    std::unique_ptr<bus> running;
};

TEST_F(PrometheusEndpoint, answers_with_the_metrics) { // B99
    const unsigned short port = metrics.serve(0);
    const auto got = answer(port, http::verb::get, "/metrics");
    EXPECT_EQ(got.result(), http::status::ok);
    EXPECT_EQ(got[http::field::content_type], "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_THAT(got.body(),
                HasSubstr("ferry_transport_connected{ferry_service=\"billing\",messaging_system=\"memory\"} 1\n"));
}

TEST_F(PrometheusEndpoint, answers_again_and_again) { // B99
    const unsigned short port = metrics.serve(0);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(answer(port, http::verb::get, "/metrics?name=x").result(), http::status::ok);
    }
}

TEST_F(PrometheusEndpoint, answers_nothing_else) { // B99
    const unsigned short port = metrics.serve(0);
    EXPECT_EQ(answer(port, http::verb::get, "/secrets").result(), http::status::not_found);
    const auto refused = answer(port, http::verb::post, "/metrics");
    EXPECT_EQ(refused.result(), http::status::method_not_allowed);
    EXPECT_EQ(refused[http::field::allow], "GET");
}

TEST_F(PrometheusEndpoint, is_not_held_up_by_a_client_that_says_nothing) { // B99
    const unsigned short port = metrics.serve(0);
    boost::asio::io_context io;
    tcp::socket silent{io};
    silent.connect(at(port));
    tcp::socket rude{io};
    rude.connect(at(port));
    boost::system::error_code hung_up; // it may hear that it is not wanted before it has said everything
    boost::asio::write(rude, boost::asio::buffer(std::string(100'000, 'x')), hung_up);
    EXPECT_EQ(answer(port, http::verb::get, "/metrics").result(), http::status::ok);
}

TEST_F(PrometheusEndpoint, says_when_its_port_is_taken) { // B99
    boost::asio::io_context io;
    const tcp::acceptor other{io, at(0)};
    const unsigned short taken = other.local_endpoint().port();
    try {
        metrics.serve(taken);
        ADD_FAILURE() << "two listen at one port";
    } catch (const error& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("127.0.0.1:" + std::to_string(taken)));
        EXPECT_THAT(refused.what(), HasSubstr("serve(0) takes a free port"));
    }
    EXPECT_GT(metrics.serve(0), 0);
    EXPECT_THROW(metrics.serve(0), error) << "it listens already";
}

} // namespace
} // namespace ferry::scenarios

#include "accepted.hpp"
#include "server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/eventually.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace ferry::prometheus {
namespace {

namespace http = boost::beast::http;
using namespace std::chrono_literals;
using boost::asio::ip::tcp;
using testing::accepts_so_far;

class PrometheusServer : public ::testing::Test {
protected:
    void connect(tcp::socket& client) const {
        client.connect({boost::asio::ip::address_v4::loopback(), serving.port()});
    }
    static void ask(tcp::socket& client) {
        http::request<http::empty_body> asked{http::verb::get, "/metrics", 11};
        asked.set(http::field::host, "127.0.0.1");
        http::write(client, asked);
    }
    /// How many connections had been accepted when this answer was made.
    static int answer_to(tcp::socket& client) {
        boost::beast::flat_buffer bytes;
        http::response<http::string_body> got;
        http::read(client, bytes, got);
        return std::stoi(got.body());
    }

    const int accepted_before = accepts_so_far().accepted;
    server serving{0, [this] { return std::to_string(accepts_so_far().accepted - accepted_before); }};
    boost::asio::io_context io;
};

TEST_F(PrometheusServer, pauses_while_there_are_no_descriptors_and_goes_on_after_that) { // B99
    tcp::socket client{io};
    const int failed_before = accepts_so_far().failed;
    {
        const testing::no_descriptors_to_accept_with limit;
        const auto begin = std::chrono::steady_clock::now();
        connect(client);
        ASSERT_TRUE(testing::eventually([&] { return accepts_so_far().failed >= failed_before + 3; }));
        EXPECT_GE(std::chrono::steady_clock::now() - begin, 200ms) << "two pauses are between three attempts";
    }
    ask(client);
    EXPECT_EQ(answer_to(client), 1);
}

TEST_F(PrometheusServer, lets_in_so_many_and_the_others_when_those_have_left) { // B99
    std::vector<tcp::socket> silent;
    for (int i = 1; i < server::most_connections; ++i) {
        connect(silent.emplace_back(io));
    }
    tcp::socket last{io};
    connect(last);
    tcp::socket outside{io};
    connect(outside);
    ask(outside);
    ask(last);
    EXPECT_EQ(answer_to(last), server::most_connections);
    EXPECT_EQ(answer_to(outside), server::most_connections + 1);
}

} // namespace
} // namespace ferry::prometheus

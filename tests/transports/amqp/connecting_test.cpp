#include "connecting.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <optional>
#include <vector>

namespace ferry::amqp {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;
using boost::system::error_code;

const tcp::endpoint any_port{boost::asio::ip::address_v4::loopback(), 0};

/// An address that answers nobody: its queue is full, and nobody takes anything off it.
class black_hole {
public:
    explicit black_hole(boost::asio::io_context& io) : acceptor_{io} {
        acceptor_.open(any_port.protocol());
        acceptor_.bind(any_port);
        acceptor_.listen(0);
        for (int i = 0; i < 8; ++i) {
            tcp::socket& each = waiting_.emplace_back(io);
            each.open(any_port.protocol());
            each.native_non_blocking(true);
            const tcp::endpoint to = address();
            (void)::connect(each.native_handle(), to.data(), static_cast<socklen_t>(to.size())); // Asio would wait
        }
    }
    [[nodiscard]] tcp::endpoint address() const { return acceptor_.local_endpoint(); }

private:
    tcp::acceptor acceptor_;
    std::vector<tcp::socket> waiting_;
};

class Connecting : public ::testing::Test {
protected:
    [[nodiscard]] error_code connect(std::vector<tcp::endpoint> addresses) {
        std::optional<error_code> ended;
        connect_in_turn(socket, std::move(addresses), 400ms, [&](const error_code& failure) { ended = failure; });
        io.run();
        io.restart();
        return ended.value();
    }
    [[nodiscard]] tcp::endpoint nobody() {
        return tcp::acceptor{io, any_port}.local_endpoint(); // which is closed again
    }

    boost::asio::io_context io;
    tcp::acceptor answering{io, any_port};
    black_hole silent{io};
    tcp::socket socket{io};
};

TEST_F(Connecting, goes_on_to_the_next_address_when_one_refuses) {
    EXPECT_FALSE(connect({nobody(), answering.local_endpoint()}));
    EXPECT_EQ(socket.remote_endpoint(), answering.local_endpoint());
}

TEST_F(Connecting, goes_on_to_the_next_address_when_one_does_not_answer) {
    EXPECT_FALSE(connect({silent.address(), answering.local_endpoint()}));
    EXPECT_EQ(socket.remote_endpoint(), answering.local_endpoint());
}

TEST_F(Connecting, says_what_was_wrong_with_the_last_address) {
    EXPECT_EQ(connect({silent.address(), nobody()}), boost::asio::error::connection_refused);
    EXPECT_EQ(connect({nobody(), silent.address()}), boost::asio::error::timed_out);
}

TEST_F(Connecting, ends_when_the_socket_is_closed) {
    boost::asio::post(io, [this] { socket.close(); });
    EXPECT_TRUE(connect({silent.address(), answering.local_endpoint()}));
    EXPECT_FALSE(socket.is_open());
}

} // namespace
} // namespace ferry::amqp

#include "../shop.hpp"

#include <ferry/postgres/store.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <csignal>
#include <string>
#include <thread>

namespace ferry::scenarios {
namespace {

/// Takes a connection and never says a word.
class silent_database {
public:
    [[nodiscard]] std::string url() const {
        return "postgresql://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/shop";
    }
    void await_connection() { connection_ = acceptor_.accept(); }

private:
    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_{io_, {boost::asio::ip::address_v4::loopback(), 0}};
    boost::asio::ip::tcp::socket connection_{io_};
};

class SlowStart : public shop {};

TEST_F(SlowStart, ends_the_process_at_a_second_signal_while_the_database_is_silent) { // B94
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            silent_database database;
            auto builder = service("billing");
            builder->persistence(postgres::store{database.url()});
            bus billing = builder->build();
            std::jthread user{[&] {
                database.await_connection();
                std::raise(SIGINT);
                std::raise(SIGINT);
            }};
            billing.run();
        },
        ::testing::ExitedWithCode(128 + SIGINT), "");
}

TEST_F(SlowStart, is_given_up_quietly_after_a_signal) { // B94
    silent_database database;
    auto builder = service("billing");
    builder->persistence(postgres::store{database.url(), postgres::store_options{.connect_timeout = 1s}});
    bus billing = builder->build();
    std::jthread user{[&] {
        database.await_connection();
        std::raise(SIGINT);
    }};
    EXPECT_TRUE(billing.run().complete()) << "who has asked for a stop is not told that the start has failed";
}

} // namespace
} // namespace ferry::scenarios

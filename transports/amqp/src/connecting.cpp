#include "connecting.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <tuple>
#include <utility>

namespace ferry::amqp {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using steady = std::chrono::steady_clock;

class attempts : public std::enable_shared_from_this<attempts> {
public:
    attempts(tcp::socket& socket, std::vector<tcp::endpoint> addresses, duration limit,
             std::function<void(const error_code&)> done)
        : socket_{socket},
          addresses_{std::move(addresses)},
          end_{steady::now() + limit},
          share_{socket.get_executor()},
          done_{std::move(done)} {}

    void try_next() {
        const auto left = static_cast<steady::rep>(addresses_.size() - next_);
        share_.expires_after((end_ - steady::now()) / left);
        socket_.async_connect(addresses_[next_++],
                              [self = shared_from_this()](const error_code& failure) { self->answered(failure); });
        asked_ = next_;
        share_.async_wait([self = shared_from_this(), number = next_](const error_code& cancelled) {
            if (!cancelled && number == self->asked_) { // or it was about to say so when the answer came
                error_code ignored;
                std::ignore = self->socket_.cancel(ignored);
            }
        });
    }

private:
    void answered(const error_code& failure) {
        asked_ = 0;
        share_.cancel();
        if (!failure) {
            return done_({});
        }
        if (!socket_.is_open() || next_ == addresses_.size()) {
            return done_(failure == boost::asio::error::operation_aborted ? boost::asio::error::timed_out : failure);
        }
        error_code ignored;
        std::ignore = socket_.close(ignored);
        try_next();
    }

    tcp::socket& socket_;
    const std::vector<tcp::endpoint> addresses_;
    std::size_t next_ = 0;
    std::size_t asked_ = 0; // which one, from 1; none: 0
    const steady::time_point end_;
    boost::asio::steady_timer share_;
    const std::function<void(const error_code&)> done_;
};

} // namespace

void connect_in_turn(tcp::socket& socket, std::vector<tcp::endpoint> addresses, duration limit,
                     std::function<void(const error_code&)> done) {
    std::make_shared<attempts>(socket, std::move(addresses), limit, std::move(done))->try_next();
}

} // namespace ferry::amqp

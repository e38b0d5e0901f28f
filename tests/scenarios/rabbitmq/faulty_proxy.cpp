#include "faulty_proxy.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <future>
#include <utility>

namespace ferry::testing {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

const auto loopback = asio::ip::address_v4::loopback();

/// Closes so that the other side gets a reset, as from a machine that has forgotten the connection.
void reset(tcp::socket& which) {
    error_code ignored;
    which.set_option(asio::socket_base::linger{true, 0}, ignored);
    which.close(ignored);
}

} // namespace

class faulty_proxy::session : public std::enable_shared_from_this<session> {
public:
    session(faulty_proxy& owner, tcp::socket client) : owner_{owner}, client_{std::move(client)}, broker_{owner.io_} {}

    void begin() {
        broker_.async_connect({loopback, owner_.broker_port_}, [self = shared_from_this()](const error_code& failure) {
            if (failure) {
                return self->end();
            }
            self->pass_on(self->client_, self->broker_, self->from_client_);
            self->pass_on(self->broker_, self->client_, self->from_broker_);
        });
    }
    void end() {
        reset(client_);
        reset(broker_);
    }

private:
    using bytes = std::array<char, 16'384>;

    [[nodiscard]] bool is_enough(std::size_t count) {
        const long left = owner_.until_cut_;
        if (left < 0) {
            return false;
        }
        owner_.until_cut_ = std::max(-1L, left - static_cast<long>(count));
        return left < static_cast<long>(count);
    }

    void pass_on(tcp::socket& from, tcp::socket& to, bytes& through) {
        from.async_read_some(asio::buffer(through), [self = shared_from_this(), &from, &to,
                                                     &through](const error_code& failure, std::size_t count) {
            if (failure) {
                return self->end();
            }
            if (&from == &self->client_ ? self->owner_.mute_ : self->owner_.deaf_) {
                ++self->owner_.swallowed_;
                return self->pass_on(from, to, through);
            }
            if (&from == &self->broker_ && self->is_enough(count)) {
                return self->owner_.end_all();
            }
            self->write(from, to, through, 0, count);
        });
    }
    void write(tcp::socket& from, tcp::socket& to, bytes& through, std::size_t begin, std::size_t end) {
        if (begin == end) {
            return pass_on(from, to, through);
        }
        const std::size_t piece = owner_.trickling_ ? 1 : end - begin;
        asio::async_write(to, asio::buffer(through.data() + begin, piece),
                          [self = shared_from_this(), &from, &to, &through, begin, end,
                           piece](const error_code& failure, std::size_t) {
                              if (failure) {
                                  return self->end();
                              }
                              self->write(from, to, through, begin + piece, end);
                          });
    }

    faulty_proxy& owner_;
    tcp::socket client_;
    tcp::socket broker_;
    bytes from_client_{};
    bytes from_broker_{};
};

faulty_proxy::faulty_proxy(std::uint16_t broker_port)
    : acceptor_{io_, tcp::endpoint{loopback, 0}}, broker_port_{broker_port}, port_{acceptor_.local_endpoint().port()} {
    accept();
    thread_ = std::thread{[this] { io_.run(); }};
}

faulty_proxy::~faulty_proxy() {
    io_.stop();
    thread_.join();
}

void faulty_proxy::accept() {
    acceptor_.async_accept([this](const error_code& failure, tcp::socket client) {
        if (failure) {
            return;
        }
        if (connections_ >= most_connections_) {
            reset(client);
        } else {
            ++connections_;
            client.set_option(tcp::no_delay{true});
            const auto fresh = std::make_shared<session>(*this, std::move(client));
            sessions_.push_back(fresh);
            fresh->begin();
        }
        accept();
    });
}

void faulty_proxy::cut() {
    std::promise<void> done;
    asio::post(io_, [&] {
        end_all();
        done.set_value();
    });
    done.get_future().wait();
}

void faulty_proxy::end_all() {
    for (const auto& each : std::exchange(sessions_, {})) {
        if (const auto open = each.lock()) {
            open->end();
        }
    }
}

} // namespace ferry::testing

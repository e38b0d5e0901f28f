#include "faulty_proxy.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <future>
#include <tuple>
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
    std::ignore = which.set_option(asio::socket_base::linger{true, 0}, ignored);
    std::ignore = which.close(ignored);
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
            if (self->owner_.to_lose_ == nothing) {
                self->pass_on(self->broker_, self->client_, self->from_broker_);
            } else {
                self->pass_on_frames();
            }
        });
    }
    void end() {
        reset(client_);
        reset(broker_);
    }
    void read_on() {
        if (std::exchange(held_, false)) {
            pass_on(client_, broker_, from_client_);
        }
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
        if (&from == &client_ && owner_.holding_) {
            held_ = true;
            return;
        }
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
            if (&from == &self->client_) {
                self->owner_.from_client_ += static_cast<long>(count);
            }
            self->write(from, to, through, 0, count);
        });
    }
    void pass_on_frames() {
        broker_.async_read_some(asio::buffer(from_broker_),
                                [self = shared_from_this()](const error_code& failure, std::size_t count) {
                                    if (failure) {
                                        return self->end();
                                    }
                                    self->unframed_.append(self->from_broker_.data(), count);
                                    self->framed_ = self->what_is_not_lost();
                                    asio::async_write(self->client_, asio::buffer(self->framed_),
                                                      [self](const error_code& broken, std::size_t) {
                                                          return broken ? self->end() : self->pass_on_frames();
                                                      });
                                });
    }
    /// The frames that have come as a whole.
    [[nodiscard]] std::string what_is_not_lost() {
        std::string kept;
        while (unframed_.size() >= header_size && unframed_.size() >= size_of_first_frame()) {
            const std::size_t size = size_of_first_frame();
            std::uint32_t method = number_at(header_size);
            if (unframed_.front() != method_frame || method == nothing ||
                !owner_.to_lose_.compare_exchange_strong(method, nothing)) {
                kept += unframed_.substr(0, size);
            }
            unframed_.erase(0, size);
        }
        return kept;
    }
    [[nodiscard]] std::size_t size_of_first_frame() const { return header_size + number_at(3) + 1; }
    [[nodiscard]] std::uint32_t number_at(std::size_t place) const {
        std::uint32_t number = 0;
        for (const char each : unframed_.substr(place, 4)) {
            number = number << 8U | static_cast<unsigned char>(each);
        }
        return number;
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
    static constexpr std::size_t header_size = 7; // type, channel, size
    static constexpr char method_frame = 1;
    bool held_ = false;
    std::string unframed_;
    std::string framed_;
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

void faulty_proxy::hold_client(bool on) {
    asio::post(io_, [this, on] {
        holding_ = on;
        for (const auto& each : sessions_) {
            if (const auto open = each.lock(); open && !on) {
                open->read_on();
            }
        }
    });
}

void faulty_proxy::end_all() {
    for (const auto& each : std::exchange(sessions_, {})) {
        if (const auto open = each.lock()) {
            open->end();
        }
    }
}

} // namespace ferry::testing

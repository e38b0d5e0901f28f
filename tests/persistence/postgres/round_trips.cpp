#include "round_trips.hpp"

#include <boost/asio/write.hpp>

#include <array>

namespace ferry::testing {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

class round_trips::session : public std::enable_shared_from_this<session> {
public:
    session(round_trips& owner, tcp::socket client) : owner_{owner}, client_{std::move(client)}, server_{owner.io_} {}

    void begin() {
        server_.connect({asio::ip::address_v4::loopback(), owner_.server_port_});
        server_.set_option(tcp::no_delay{true});
        client_.set_option(tcp::no_delay{true});
        pass_on(client_, server_, from_client_);
        pass_on(server_, client_, from_server_);
    }

private:
    using bytes = std::array<char, 65'536>;

    // It is the client's turn again when it speaks after the server has: one more trip, in however many pieces.
    void note(bool client_speaks) {
        if (client_speaks && !client_spoke_last_) {
            ++owner_.count_;
        }
        client_spoke_last_ = client_speaks;
    }
    void pass_on(tcp::socket& from, tcp::socket& to, bytes& through) {
        from.async_read_some(asio::buffer(through), [self = shared_from_this(), &from, &to,
                                                     &through](const error_code& failure, std::size_t count) {
            error_code ignored;
            if (failure) {
                to.shutdown(tcp::socket::shutdown_send, ignored);
                return;
            }
            self->note(&from == &self->client_);
            asio::write(to, asio::buffer(through.data(), count), ignored);
            self->pass_on(from, to, through);
        });
    }

    round_trips& owner_;
    tcp::socket client_;
    tcp::socket server_;
    bool client_spoke_last_ = false;
    bytes from_client_{};
    bytes from_server_{};
};

round_trips::round_trips(std::uint16_t server_port)
    : acceptor_{io_, tcp::endpoint{asio::ip::address_v4::loopback(), 0}},
      server_port_{server_port},
      port_{acceptor_.local_endpoint().port()} {
    accept();
    thread_ = std::thread{[this] { io_.run(); }};
}

round_trips::~round_trips() {
    io_.stop();
    thread_.join();
}

void round_trips::accept() {
    acceptor_.async_accept([this](const error_code& failure, tcp::socket client) {
        if (!failure) {
            std::make_shared<session>(*this, std::move(client))->begin();
            accept();
        }
    });
}

} // namespace ferry::testing

#pragma once

#include "certificates.hpp"

#include <ferry/amqp/url.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <support/eventually.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ferry::scenarios {

/// Speaks TLS on a port of its own and passes everything on to a broker in plain text; without a certificate it passes
/// on plain text, too. Remembers what came to it unencrypted.
class tls_proxy {
public:
    struct settings {
        std::optional<certificate> own = {};
        bool up_to_tls_1_1 = false;
        std::optional<certificate> clients_signed_by = {}; ///< asks for a client's certificate, and insists on it
    };

    tls_proxy(const amqp::broker_url& broker, const settings& how);
    tls_proxy(const tls_proxy&) = delete;
    tls_proxy& operator=(const tls_proxy&) = delete;
    ~tls_proxy();

    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    struct sightings {
        std::string in_plain_text;             ///< the beginning of every connection, and all that was not encrypted
        std::vector<std::string> clients = {}; ///< the names in the certificates of clients that were let in
        int handshakes = 0;                    ///< that have succeeded
    };
    [[nodiscard]] sightings seen() const { return seen_.get(); }

private:
    struct session;

    boost::asio::awaitable<void> accept();
    boost::asio::awaitable<void> serve(std::shared_ptr<session> one);
    boost::asio::awaitable<void> look_at_the_beginning(session& one);
    boost::asio::awaitable<bool> shake_hands(session& one);
    template <typename From, typename To>
    boost::asio::awaitable<void> pass_on(std::shared_ptr<session> one, From& from, To& to);
    template <typename Client> void connect_both_ways(const std::shared_ptr<session>& one, Client& client);
    void saw_in_plain_text(std::string_view bytes);

    boost::asio::io_context io_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::ip::tcp::endpoint broker_;
    std::optional<boost::asio::ssl::context> tls_;
    testing::watched<sightings> seen_;
    std::thread thread_;
};

} // namespace ferry::scenarios

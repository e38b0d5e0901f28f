#include "tls_proxy.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <tuple>

namespace ferry::scenarios {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto with_outcome = asio::as_tuple(asio::use_awaitable);

asio::ssl::context server_context(const certificate& own, const std::optional<certificate>& clients_signed_by,
                                  bool up_to_tls_1_1) {
    asio::ssl::context context{asio::ssl::context::tls_server};
    context.use_certificate(asio::buffer(own.pem()), asio::ssl::context::pem);
    context.use_private_key(asio::buffer(own.key_pem()), asio::ssl::context::pem);
    if (clients_signed_by) {
        context.add_certificate_authority(asio::buffer(clients_signed_by->pem()));
        context.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    }
    if (up_to_tls_1_1) {
        SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_VERSION);
        SSL_CTX_set_max_proto_version(context.native_handle(), TLS1_1_VERSION);
        SSL_CTX_set_security_level(context.native_handle(), 0); // or OpenSSL would refuse it here, too
    }
    return context;
}

tcp::endpoint endpoint_of(const amqp::server& broker) {
    asio::io_context io;
    return *tcp::resolver{io}.resolve(broker.host, std::to_string(broker.port)).begin();
}

std::string name_in(const X509* x509) {
    std::array<char, 256> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(x509), NID_commonName, name.data(), name.size());
    return name.data();
}

} // namespace

struct tls_proxy::session {
    session(tcp::socket accepted, asio::ssl::context* context) : client{std::move(accepted)} {
        if (context != nullptr) {
            encrypted.emplace(client, *context);
        }
    }
    void close() {
        boost::system::error_code ignored;
        std::ignore = client.close(ignored);
        std::ignore = broker.close(ignored);
    }

    tcp::socket client;
    std::optional<asio::ssl::stream<tcp::socket&>> encrypted;
    tcp::socket broker{client.get_executor()};
};

template <typename From, typename To>
asio::awaitable<void> tls_proxy::pass_on(std::shared_ptr<session> one, From& from, To& to) {
    std::array<char, 16384> part{};
    while (true) {
        const auto [lost, count] = co_await from.async_read_some(asio::buffer(part), with_outcome);
        if (lost) {
            co_return one->close();
        }
        if (static_cast<const void*>(&from) == &one->client) {
            saw_in_plain_text({part.data(), count});
        }
        const auto [failure, written] = co_await asio::async_write(to, asio::buffer(part, count), with_outcome);
        if (failure) {
            co_return one->close();
        }
    }
}

template <typename Client> void tls_proxy::connect_both_ways(const std::shared_ptr<session>& one, Client& client) {
    asio::co_spawn(io_, pass_on(one, client, one->broker), asio::detached);
    asio::co_spawn(io_, pass_on(one, one->broker, client), asio::detached);
}

tls_proxy::tls_proxy(const amqp::broker_url& broker, const settings& how)
    : acceptor_{io_, tcp::endpoint{asio::ip::address_v4::loopback(), 0}}, broker_{endpoint_of(broker.servers.front())} {
    if (how.own) {
        tls_.emplace(server_context(*how.own, how.clients_signed_by, how.up_to_tls_1_1));
    }
    asio::co_spawn(io_, accept(), asio::detached);
    thread_ = std::thread{[this] { io_.run(); }};
}

tls_proxy::~tls_proxy() {
    io_.stop();
    thread_.join();
}

asio::awaitable<void> tls_proxy::accept() {
    while (true) {
        auto [failure, client] = co_await acceptor_.async_accept(with_outcome);
        if (failure) {
            co_return;
        }
        auto one = std::make_shared<session>(std::move(client), tls_ ? &*tls_ : nullptr);
        asio::co_spawn(io_, serve(std::move(one)), asio::detached);
    }
}

asio::awaitable<void> tls_proxy::serve(std::shared_ptr<session> one) {
    co_await look_at_the_beginning(*one);
    if (one->encrypted && !co_await shake_hands(*one)) {
        co_return;
    }
    const auto [failure] = co_await one->broker.async_connect(broker_, with_outcome);
    if (failure) {
        co_return one->close();
    }
    if (one->encrypted) {
        connect_both_ways(one, *one->encrypted);
    } else {
        connect_both_ways(one, one->client);
    }
}

asio::awaitable<void> tls_proxy::look_at_the_beginning(session& one) {
    std::array<char, 8> first{};
    const auto [failure, count] =
        co_await one.client.async_receive(asio::buffer(first), tcp::socket::message_peek, with_outcome);
    saw_in_plain_text({first.data(), count});
}

asio::awaitable<bool> tls_proxy::shake_hands(session& one) {
    const auto [failure] = co_await one.encrypted->async_handshake(asio::ssl::stream_base::server, with_outcome);
    if (failure) {
        std::string rest;
        (void)co_await asio::async_read(one.client, asio::dynamic_buffer(rest), with_outcome);
        saw_in_plain_text(rest);
        co_return false;
    }
    const std::unique_ptr<X509, decltype(&X509_free)> client{SSL_get1_peer_certificate(one.encrypted->native_handle()),
                                                             &X509_free};
    seen_.change([&](sightings& seen) {
        ++seen.handshakes;
        if (client) {
            seen.clients.push_back(name_in(client.get()));
        }
    });
    co_return true;
}

void tls_proxy::saw_in_plain_text(std::string_view bytes) {
    seen_.change([&](sightings& seen) { seen.in_plain_text += bytes; });
}

} // namespace ferry::scenarios

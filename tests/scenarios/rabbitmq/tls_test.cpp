#include "certificates.hpp"
#include "tls_proxy.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/eventually.hpp>
#include <support/test_host.hpp>
#include <support/test_sinks.hpp>

#include <cstdlib>
#include <random>

namespace ferry::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

amqp::broker_url plain_broker() {
    const char* const url = std::getenv("FERRY_RABBITMQ_URL");
    return amqp::broker_url::parse(url == nullptr ? "amqp://127.0.0.1" : url);
}

/// A transport that is running, on a host of its own.
class running_transport {
public:
    running_transport(const std::string& url, amqp::transport_options options) : transport_{url, std::move(options)} {
        transport_.start(host_.lend());
    }
    running_transport(const running_transport&) = delete;
    running_transport& operator=(const running_transport&) = delete;
    ~running_transport() { transport_.stop(); }

    amqp::transport* operator->() { return &transport_; }

private:
    testing::test_host host_;
    amqp::transport transport_;
};

/// A broker behind TLS. Its certificate is good for this machine and signed by somebody the client may trust or not.
class Tls : public ::testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<tls_proxy> proxy(tls_proxy::settings how) const {
        return std::make_unique<tls_proxy>(plain_broker(), how);
    }
    [[nodiscard]] std::unique_ptr<tls_proxy> good_proxy() const { return proxy({.own = own}); }

    [[nodiscard]] static std::string address(const tls_proxy& to, const std::string& host = "127.0.0.1") {
        const amqp::broker_url broker = plain_broker();
        return "amqps://" + broker.user + ":" + broker.password + "@" + host + ":" + std::to_string(to.port());
    }
    [[nodiscard]] amqp::tls_options trusting() const { return {.ca_file = files.write("ca.pem", authority.pem())}; }
    [[nodiscard]] static amqp::transport_options with(const amqp::tls_options& tls) {
        return {.tls = tls, .reconnect = {.max_delay = std::chrono::milliseconds{20}}};
    }

    /// Sends a message to a queue and gets it from there.
    static void expect_to_work(const std::string& url, const amqp::tls_options& tls) {
        running_transport carrier{url, {.tls = tls, .give_up_after = testing::longest_wait}};
        const std::string queue = "tls-" + std::to_string(std::random_device{}());
        carrier->declare({.queues = {{.name = queue}}});
        testing::accepting_sink sink;
        const auto subscription = carrier->consume(queue, {}, sink);
        envelope message;
        message.destination = ferry::address::queue(queue);
        message.body = buffer{"for your eyes only"};
        carrier->send(message, [](const send_outcome& outcome) { EXPECT_EQ(outcome.status, send_status::confirmed); });
        EXPECT_TRUE(sink.await(1)) << carrier->health().last_error;
        EXPECT_THAT(sink.bodies(), Each("for your eyes only"));
    }

    /// Waits for the transport to say why it does not connect.
    [[nodiscard]] static std::string refusal(const std::string& url, const amqp::tls_options& tls) {
        running_transport carrier{url, with(tls)};
        EXPECT_TRUE(testing::eventually([&] { return !carrier->health().last_error.empty(); }));
        EXPECT_FALSE(carrier->health().connected);
        return carrier->health().last_error;
    }

    static void expect_that_nothing_was_sent_in_plain_text(const tls_proxy& to) {
        EXPECT_THAT(to.seen().in_plain_text, AllOf(StartsWith("\x16\x03"), Not(HasSubstr("AMQP"))))
            << "a record of a handshake comes first";
    }

    temporary_folder files;
    certificate authority = certificate::authority("the shop's authority");
    certificate own = authority.issue("broker", "IP:127.0.0.1,DNS:localhost");
    certificate stranger = certificate::authority("a stranger");
};

TEST_F(Tls, is_what_keeps_a_proxy_from_reading_everything) {
    const auto broker = proxy({});
    expect_to_work(address(*broker).replace(0, 5, "amqp"), {});
    EXPECT_THAT(broker->seen().in_plain_text, AllOf(HasSubstr("AMQP"), HasSubstr("for your eyes only")));
}

TEST_F(Tls, works_with_an_address_that_is_in_the_certificate) { // B89
    const auto broker = good_proxy();
    expect_to_work(address(*broker), trusting());
    EXPECT_EQ(broker->seen().handshakes, 2);
    expect_that_nothing_was_sent_in_plain_text(*broker);
}

TEST_F(Tls, works_with_a_host_name_that_is_in_the_certificate) { // B89
    const auto broker = good_proxy();
    expect_to_work(address(*broker, "localhost"), trusting());
    expect_that_nothing_was_sent_in_plain_text(*broker);
}

TEST_F(Tls, refuses_a_certificate_that_nobody_it_trusts_has_signed) { // B89
    const auto broker = proxy({.own = stranger.issue("broker", "IP:127.0.0.1")});
    EXPECT_THAT(refusal(address(*broker), trusting()),
                AllOf(HasSubstr("certificate is not trusted"), HasSubstr("ca_file")));
    EXPECT_EQ(broker->seen().handshakes, 0);
    expect_that_nothing_was_sent_in_plain_text(*broker);
}

TEST_F(Tls, verifies_by_default) { // B89
    const auto broker = good_proxy();
    EXPECT_THAT(refusal(address(*broker), {}), HasSubstr("certificate is not trusted"))
        << "the system does not know who has signed it";
    expect_that_nothing_was_sent_in_plain_text(*broker);
}

TEST_F(Tls, refuses_a_certificate_for_another_address) { // B89
    const auto broker = proxy({.own = authority.issue("broker", "IP:192.0.2.1,DNS:localhost")});
    EXPECT_THAT(refusal(address(*broker), trusting()), HasSubstr("certificate is not for 127.0.0.1"));
    expect_that_nothing_was_sent_in_plain_text(*broker);
}

TEST_F(Tls, refuses_a_certificate_for_another_host_name) { // B89
    const auto broker = proxy({.own = authority.issue("broker", "IP:127.0.0.1,DNS:rabbit.example.com")});
    EXPECT_THAT(refusal(address(*broker, "localhost"), trusting()), HasSubstr("certificate is not for localhost"));
    expect_that_nothing_was_sent_in_plain_text(*broker);
}

TEST_F(Tls, never_falls_back_to_plain_text) { // B89
    const auto broker = proxy({});
    EXPECT_THAT(refusal(address(*broker), trusting()),
                AllOf(HasSubstr("TLS handshake failed"), HasSubstr("does not speak TLS")));
    expect_that_nothing_was_sent_in_plain_text(*broker);
}

TEST_F(Tls, refuses_anything_older_than_1_2) { // B89
    const auto broker = proxy({.own = own, .up_to_tls_1_1 = true});
    EXPECT_THAT(refusal(address(*broker), trusting()), HasSubstr("speaks no TLS 1.2"));
    EXPECT_EQ(broker->seen().handshakes, 0);
    expect_that_nothing_was_sent_in_plain_text(*broker);
}

TEST_F(Tls, tells_who_gives_up_why) { // B89
    const auto broker = proxy({.own = stranger.issue("broker", "IP:127.0.0.1")});
    amqp::transport_options options = with(trusting());
    options.give_up_after = std::chrono::milliseconds{1};
    running_transport carrier{address(*broker), options};
    ASSERT_TRUE(testing::eventually([&] { return !carrier->health().last_error.empty(); }));
    EXPECT_THAT([&] { carrier->declare({.queues = {{.name = "never"}}}); },
                ::testing::ThrowsMessage<transport_error>(
                    AllOf(HasSubstr("there is no RabbitMQ at amqps://"), HasSubstr("certificate is not trusted"))));
}

TEST_F(Tls, takes_any_certificate_when_told_not_to_verify) { // B89
    const auto broker = proxy({.own = stranger.issue("broker", "DNS:rabbit.example.com")});
    expect_to_work(address(*broker), {.verify = false});
    expect_that_nothing_was_sent_in_plain_text(*broker);
}

TEST_F(Tls, shows_its_own_certificate_to_a_broker_that_asks) { // B89
    const certificate client = authority.issue("billing");
    const auto broker = proxy({.own = own, .clients_signed_by = authority});
    amqp::tls_options tls = trusting();
    tls.certificate_file = files.write("client.pem", client.pem());
    tls.key_file = files.write("client.key", client.key_pem());
    expect_to_work(address(*broker), tls);
    expect_that_nothing_was_sent_in_plain_text(*broker);
    EXPECT_THAT(broker->seen().clients, AllOf(Contains("billing"), Each("billing")));
}

TEST_F(Tls, takes_certificate_and_key_from_one_file) { // B89
    const certificate client = authority.issue("billing");
    const auto broker = proxy({.own = own, .clients_signed_by = authority});
    amqp::tls_options tls = trusting();
    tls.certificate_file = files.write("both.pem", client.pem() + client.key_pem());
    expect_to_work(address(*broker), tls);
}

TEST_F(Tls, says_so_when_the_broker_wants_a_certificate_and_gets_none) { // B89
    const auto broker = proxy({.own = own, .clients_signed_by = authority});
    EXPECT_THAT(refusal(address(*broker), trusting()),
                AllOf(HasSubstr("asks for a certificate"), HasSubstr("certificate_file")));
    EXPECT_EQ(broker->seen().handshakes, 0);
    expect_that_nothing_was_sent_in_plain_text(*broker);
}

TEST_F(Tls, names_the_file_that_cannot_be_read) {
    const auto broker = good_proxy();
    EXPECT_THAT(refusal(address(*broker), {.ca_file = "/nowhere/ca.pem"}), HasSubstr("/nowhere/ca.pem"));
    amqp::tls_options tls = trusting();
    tls.certificate_file = "/nowhere/client.pem";
    EXPECT_THAT(refusal(address(*broker), tls), HasSubstr("/nowhere/client.pem"));
    tls.certificate_file = files.write("client.pem", own.pem());
    tls.key_file = "/nowhere/client.key";
    EXPECT_THAT(refusal(address(*broker), tls), HasSubstr("/nowhere/client.key"));
    EXPECT_EQ(broker->seen().in_plain_text, "");
}

TEST_F(Tls, wants_a_certificate_beside_its_key) {
    EXPECT_THAT([] { (void)amqp::transport("amqps://nobody.listens", {.tls = {.key_file = "client.key"}}); },
                ::testing::ThrowsMessage<error>(HasSubstr("no certificate_file")));
}

TEST_F(Tls, does_not_ask_a_terminal_for_the_password_of_a_key) {
    const auto broker = good_proxy();
    amqp::tls_options tls = trusting();
    tls.certificate_file = files.write("client.pem", own.pem());
    tls.key_file = files.write("client.key", own.encrypted_key_pem("secret"));
    EXPECT_THAT(refusal(address(*broker), tls), AllOf(HasSubstr(tls.key_file), HasSubstr("without a password")));
}

} // namespace
} // namespace ferry::scenarios

#include "tls.hpp"

#include <ferry/error.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/system/system_error.hpp>
#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace ferry::amqp {

namespace asio = boost::asio;
using asio::ssl::context;
using boost::system::error_code;

namespace {

/// Uses a file of the options, or says which option and file cannot be used.
template <typename Use>
void use(const std::string& option, const std::string& file, Use how, const std::string& remedy = {}) {
    try {
        how(file);
    } catch (const boost::system::system_error& failure) {
        throw error{"the TLS option " + option + " cannot be used: " + file + ": " + failure.code().message() + remedy};
    }
}

void trust(const std::string& ca_file, context& of) {
    if (ca_file.empty()) {
        of.set_default_verify_paths();
    } else {
        use("ca_file", ca_file, [&](const std::string& file) { of.load_verify_file(file); });
    }
}

void show(const tls_options& options, context& to) {
    use("certificate_file", options.certificate_file,
        [&](const std::string& file) { to.use_certificate_chain_file(file); });
    to.set_password_callback([](std::size_t, context::password_purpose) { return std::string{}; }); // ask nobody
    use(
        "key_file", options.key_file.empty() ? options.certificate_file : options.key_file,
        [&](const std::string& file) { to.use_private_key_file(file, context::pem); },
        "; it must be the key of the certificate, in PEM, and without a password");
}

bool is_address(const std::string& host) {
    error_code none;
    (void)asio::ip::make_address(host, none);
    return !none;
}

// Without it any trusted certificate would do.
void require_expectation(int accepted, const std::string& host) {
    if (accepted != 1) {
        throw error{"no certificate can be verified for " + host};
    }
}

bool is(const error_code& failure, int reason) {
    return failure.category() == asio::error::get_ssl_category() &&
           ERR_GET_REASON(static_cast<unsigned long>(failure.value())) == reason;
}

bool is_cut_off(const error_code& failure) {
    return failure == asio::ssl::error::stream_truncated || failure == asio::error::eof ||
           failure == asio::error::connection_reset || is(failure, SSL_R_UNEXPECTED_EOF_WHILE_READING);
}

std::string about_certificate(long verdict, const std::string& host) {
    if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
        return "its certificate is not for " + host + "; connect with a name that is in it";
    }
    return std::string{"its certificate is not trusted: "} + X509_verify_cert_error_string(verdict) +
           "; name the file with the certificate of who has signed it in the TLS option ca_file";
}

} // namespace

context tls_context(const tls_options& options) {
    context fresh{context::tls_client};
    fresh.set_options(context::default_workarounds | context::no_tlsv1 | context::no_tlsv1_1);
    trust(options.ca_file, fresh);
    if (!options.certificate_file.empty()) {
        show(options, fresh);
    }
    fresh.set_verify_mode(options.verify ? asio::ssl::verify_peer : asio::ssl::verify_none);
    return fresh;
}

// OpenSSL compares by itself, and then knows what did not fit; the name tells a server with several certificates which
// one is wanted, and must not be an address (RFC 6066).
void expect_host(SSL& session, const std::string& host) {
    X509_VERIFY_PARAM* const expected = SSL_get0_param(&session);
    if (is_address(host)) {
        return require_expectation(X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()), host);
    }
    X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    require_expectation(X509_VERIFY_PARAM_set1_host(expected, host.data(), host.size()), host);
    SSL_ctrl(&session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, std::string{host}.data());
}

std::string why_tls_failed(const error_code& failure, const SSL& session, const std::string& host) {
    if (is(failure, SSL_R_CERTIFICATE_VERIFY_FAILED)) {
        return about_certificate(SSL_get_verify_result(&session), host);
    }
    if (is(failure, SSL_R_WRONG_VERSION_NUMBER) || is(failure, SSL_R_HTTP_REQUEST)) {
        return "it does not speak TLS at this port: " + failure.message() + "; RabbitMQ does at 5671 by default";
    }
    if (is(failure, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION) || is(failure, SSL_R_UNSUPPORTED_PROTOCOL)) {
        return "it speaks no TLS 1.2 or later: " + failure.message();
    }
    if (is(failure, SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED)) {
        return "the broker asks for a certificate; name one in the TLS option certificate_file";
    }
    if (is_cut_off(failure) && SSL_is_init_finished(&session) == 0) {
        return "it hung up (" + failure.message() + "); does this port speak TLS? RabbitMQ does at 5671 by default";
    }
    return failure.message();
}

} // namespace ferry::amqp

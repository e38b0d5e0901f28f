#pragma once

#include <ferry/amqp/options.hpp>

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <openssl/ssl.h>

#include <string>

namespace ferry::amqp {

/// What a client needs to speak TLS. Throws ferry::error with the file that cannot be used.
[[nodiscard]] boost::asio::ssl::context tls_context(const tls_options& options);

/// The certificate must be for this host, a name or an address, if certificates are verified. Throws ferry::error when
/// that cannot be checked.
void expect_host(SSL& session, const std::string& host);

/// What went wrong, and what to do about it where that is known.
[[nodiscard]] std::string why_tls_failed(const boost::system::error_code& failure, const SSL& session,
                                         const std::string& host);

} // namespace ferry::amqp

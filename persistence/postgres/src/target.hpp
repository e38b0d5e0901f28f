#pragma once

#include <ferry/time.hpp>

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry::postgres {

struct connection_end {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
using raw_connection = std::unique_ptr<PGconn, connection_end>;

/// A server and a database, and who asks.
class target {
public:
    /// Throws ferry::error when the text cannot be read, without showing a password.
    target(std::string_view url, duration connect_timeout);

    /// Throws sql_error: a transient one when the server is not to be reached now, another when it does not want us.
    [[nodiscard]] raw_connection connect() const;
    /// For errors and logs: without the password.
    [[nodiscard]] const std::string& description() const noexcept { return description_; }

private:
    std::vector<std::pair<std::string, std::string>> parameters_;
    std::string description_;
    duration connect_timeout_;
};

} // namespace ferry::postgres

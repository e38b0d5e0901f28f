#pragma once

#include "statements.hpp"
#include "target.hpp"

#include <ferry/postgres/options.hpp>

#include <pqxx/connection>

#include <string_view>
#include <vector>

namespace ferry::postgres {

/// A connection that libpqxx and ferry share: handlers use it through libpqxx, ferry through libpq, which can send
/// several statements in one go.
class session {
public:
    /// `settings` are statements that hold for as long as the connection does.
    session(raw_connection connection, const store_options& options, std::string_view settings = {});

    [[nodiscard]] PGconn* raw() const noexcept { return raw_; }
    [[nodiscard]] pqxx::connection& shared() noexcept { return shared_; }

    [[nodiscard]] bool is_lost() const noexcept;
    /// Whether the server has hung up while nobody was looking, as far as can be told without asking it.
    [[nodiscard]] bool has_died() const noexcept;
    /// Whether the server said that it only reads: it was the primary, and another one is by now.
    [[nodiscard]] bool only_reads() const noexcept;
    [[nodiscard]] PGTransactionStatusType state() const noexcept;
    /// Ends whatever transaction there is. False when that cannot be done.
    [[nodiscard]] bool roll_back() noexcept;

    [[nodiscard]] bool has_prepared(const statement& which) const noexcept;
    void remember_prepared(const statement& which) { prepared_.push_back(&which); }
    /// Not to be used again: it is not in the state ferry left it in.
    void spoil() noexcept { spoilt_ = true; }
    [[nodiscard]] bool is_spoilt() const noexcept { return spoilt_; }

private:
    PGconn* raw_; // shared_ owns it
    pqxx::connection shared_;
    std::vector<const statement*> prepared_;
    bool spoilt_ = false;
};

} // namespace ferry::postgres

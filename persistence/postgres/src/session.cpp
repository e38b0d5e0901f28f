#include "session.hpp"

#include "flight.hpp"

#include <poll.h>

#include <algorithm>
#include <format>
#include <string_view>

namespace ferry::postgres {

namespace {

// What a client locked stays locked until the server knows that it is gone, and by default it asks after two hours.
constexpr std::string_view notice_lost_clients =
    "set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;"
    " set tcp_user_timeout = 60000;";

std::string timeout(std::string_view setting, const std::optional<duration>& length) {
    return length ? std::format("set {} = {};", setting, std::chrono::ceil<std::chrono::milliseconds>(*length).count())
                  : std::string{};
}

} // namespace

session::session(raw_connection connection, const store_options& options, std::string_view settings)
    : raw_{connection.get()}, shared_{pqxx::connection::seize_raw_connection(connection.release())} {
    run_script(raw_,
               std::string{notice_lost_clients} + timeout("statement_timeout", options.statement_timeout) +
                   timeout("lock_timeout", options.lock_timeout) + std::string{settings},
               "set up a connection");
}

bool session::is_lost() const noexcept { return !shared_.is_open() || PQstatus(raw_) != CONNECTION_OK; }

// An idle connection has nothing to say; if there is something, it is a farewell.
bool session::has_died() const noexcept {
    if (is_lost()) {
        return true;
    }
    pollfd looking{.fd = PQsocket(raw_), .events = POLLIN, .revents = 0};
    return poll(&looking, 1, 0) != 0;
}

// It tells by itself when one of these changes; nobody has to ask.
bool session::only_reads() const noexcept {
    const auto is_on = [this](const char* parameter) {
        const char* const value = PQparameterStatus(raw_, parameter);
        return value != nullptr && std::string_view{value} == "on";
    };
    return !is_lost() && (is_on("in_hot_standby") || is_on("default_transaction_read_only"));
}

PGTransactionStatusType session::state() const noexcept {
    return is_lost() ? PQTRANS_UNKNOWN : PQtransactionStatus(raw_);
}

bool session::roll_back() noexcept {
    if (state() == PQTRANS_INTRANS || state() == PQTRANS_INERROR) {
        PQclear(PQexec(raw_, "rollback"));
    }
    return state() == PQTRANS_IDLE;
}

bool session::has_prepared(const statement& which) const noexcept { return std::ranges::contains(prepared_, &which); }

} // namespace ferry::postgres

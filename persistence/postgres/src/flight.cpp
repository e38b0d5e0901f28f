#include "flight.hpp"

#include "sqlstate.hpp"

#include <ferry/postgres/errors.hpp>

#include <format>
#include <utility>

namespace ferry::postgres {

namespace {

constexpr const char* connection_lost = "08006";
constexpr std::string_view unknown_statement = "26000";

std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

bool succeeded(const PGresult* answer) noexcept {
    const ExecStatusType status = PQresultStatus(answer);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

std::string state_of(const PGresult* answer) {
    const char* const code = PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    return code == nullptr ? connection_lost : code;
}

std::string message_of(const PGresult* answer) {
    const char* const primary = PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
    const char* const detail = PQresultErrorField(answer, PG_DIAG_MESSAGE_DETAIL);
    std::string text = primary == nullptr ? trimmed(PQresultErrorMessage(answer)) : primary;
    return detail == nullptr ? text : text + " (" + detail + ")";
}

} // namespace

flight::flight(session& on, std::string_view purpose) : session_{on}, purpose_{purpose} {
    check(!on.is_lost() && PQenterPipelineMode(on.raw()) != 0);
}

flight::~flight() { end(); }

flight& flight::add(const statement& what, const parameters& with) {
    if (!session_.has_prepared(what)) {
        prepare(what);
    }
    const std::vector<const char*> values = with.values();
    const std::vector<int> lengths = with.lengths();
    const std::vector<int> formats(values.size(), 1);
    check(PQsendQueryPrepared(session_.raw(), what.name, with.count(), values.data(), lengths.data(), formats.data(),
                              1) != 0);
    steps_.push_back({&what, false});
    return *this;
}

void flight::prepare(const statement& what) {
    check(PQsendPrepare(session_.raw(), what.name, what.sql.c_str(), 0, nullptr) != 0);
    steps_.push_back({&what, true});
    session_.remember_prepared(what);
}

void flight::check(bool sent) {
    if (!sent) {
        problem_ = session_.is_lost() ? "the connection is closed" : trimmed(PQerrorMessage(session_.raw()));
        sqlstate_ = connection_lost;
        fail();
    }
}

std::vector<result> flight::land() {
    check(PQpipelineSync(session_.raw()) != 0);
    std::vector<result> answers;
    for (const step& each : std::exchange(steps_, {})) {
        collect(each, answers);
    }
    end();
    if (!problem_.empty()) {
        fail();
    }
    return answers;
}

void flight::collect(const step& from, std::vector<result>& answers) {
    PGresult* const raw = PQgetResult(session_.raw());
    result answer{raw};
    if (raw != nullptr && succeeded(raw)) {
        if (!from.prepares) {
            answers.push_back(std::move(answer));
        }
    } else {
        if (from.prepares) {
            session_.spoil(); // it is not known which statements this connection has
        }
        if (problem_.empty()) {
            problem_ = raw == nullptr ? trimmed(PQerrorMessage(session_.raw())) : message_of(raw);
            sqlstate_ = raw == nullptr ? connection_lost : state_of(raw);
        }
    }
    while (PGresult* const end = PQgetResult(session_.raw())) { // the null that separates answers
        PQclear(end);
    }
}

// In a flight that came to an end there is only the mark of that end. Whatever else there is belongs to a broken one.
void flight::end() noexcept {
    if (std::exchange(has_ended_, true) || session_.is_lost() || PQpipelineStatus(session_.raw()) == PQ_PIPELINE_OFF) {
        return;
    }
    if (!steps_.empty()) {
        session_.spoil();
        return;
    }
    PQclear(PQgetResult(session_.raw()));
    if (PQexitPipelineMode(session_.raw()) == 0) {
        session_.spoil();
    }
}

void flight::fail() {
    if (sqlstate_ == unknown_statement) { // a handler has thrown away what the connection had prepared
        session_.spoil();
        throw sql_error{std::format("PostgreSQL could not {}: {}; a handler seems to have discarded all prepared "
                                    "statements, the next try has a fresh connection",
                                    purpose_, problem_),
                        sqlstate_, true};
    }
    throw_sql_error(purpose_, problem_.empty() ? "the connection is lost" : problem_, sqlstate_);
}

void run_script(PGconn* connection, const std::string& sql, std::string_view purpose) {
    PGresult* const raw = PQexec(connection, sql.c_str());
    const result answer{raw};
    if (!succeeded(raw)) {
        throw_sql_error(purpose, raw == nullptr ? trimmed(PQerrorMessage(connection)) : message_of(raw),
                        raw == nullptr ? connection_lost : state_of(raw));
    }
}

void throw_sql_error(std::string_view purpose, std::string_view problem, const std::string& sqlstate) {
    throw sql_error{std::format("PostgreSQL could not {}: {} (SQLSTATE {})", purpose, problem, sqlstate), sqlstate,
                    is_transient_state(sqlstate)};
}

} // namespace ferry::postgres

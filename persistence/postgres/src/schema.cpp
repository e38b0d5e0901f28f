#include "schema.hpp"

#include "flight.hpp"
#include "migrations.hpp"
#include "result.hpp"

#include <ferry/postgres/errors.hpp>

#include <charconv>
#include <format>

namespace ferry::postgres {

namespace {

constexpr std::string_view purpose = "look for ferry's tables";

std::string quoted_text(std::string_view text) {
    std::string quoted = "'";
    for (const char each : text) {
        quoted.append(each == '\'' ? 2 : 1, each);
    }
    return quoted + "'";
}

/// One value of one row; empty for null and for no row.
std::string ask(PGconn* connection, const std::string& sql) {
    PGresult* const raw = PQexec(connection, sql.c_str());
    const result answer{raw};
    if (PQresultStatus(raw) != PGRES_TUPLES_OK) {
        const char* const state = PQresultErrorField(raw, PG_DIAG_SQLSTATE);
        throw_sql_error(purpose, PQresultErrorMessage(raw), state == nullptr ? "08006" : state);
    }
    return answer.rows() == 0 || answer.is_null(0, 0) ? std::string{} : std::string{answer.bytes(0, 0)};
}

int latest() noexcept { return migrations().back().version; }

/// 0 when there are no tables.
int version_in(PGconn* connection, const names& names) {
    const std::string table = names.table("schema_version");
    if (ask(connection, "select to_regclass(" + quoted_text(table) + ")").empty()) {
        return 0;
    }
    const std::string text = ask(connection, "select max(version) from " + table);
    int version = 0;
    std::from_chars(text.data(), text.data() + text.size(), version);
    return version;
}

[[noreturn]] void refuse_newer(int version, const names& names, const target& server) {
    throw schema_error{std::format("ferry's tables in schema \"{}\" of {} are of version {}, newer than version "
                                   "{} of this ferry; update this service",
                                   names.schema(), server.description(), version, latest())};
}

bool has_schema(PGconn* connection, const names& names) {
    return !ask(connection, "select 1 from pg_namespace where nspname = " + quoted_text(names.schema())).empty();
}

void migrate(PGconn* connection, const names& names, int version) {
    for (const migration& each : migrations()) {
        if (each.version == 0 ? !has_schema(connection, names) : each.version > version) {
            run_script(connection, names.translated(each.sql), std::format("run {}", each.file));
        }
    }
}

} // namespace

void check_schema(PGconn* connection, const names& names, const target& server) {
    const int version = version_in(connection, names);
    if (version > latest()) {
        refuse_newer(version, names, server);
    }
    if (version == latest()) {
        return;
    }
    const std::string remedy = "set store_options.ensure_schema, call ensure_schema(), or let your migration tool run "
                               "the files of share/ferry/postgres";
    throw schema_error{
        version == 0
            ? std::format("ferry's tables are missing in schema \"{}\" of {}; {}", names.schema(), server.description(),
                          remedy)
            : std::format(
                  "ferry's tables in schema \"{}\" of {} are of version {}, and this ferry needs version {}; {}",
                  names.schema(), server.description(), version, latest(), remedy)};
}

void ensure_schema(const names& names, const target& server) {
    const raw_connection connection = server.connect();
    if (version_in(connection.get(), names) == latest()) { // the usual case takes no lock and no rights
        return;
    }
    // Before the transaction, which would not notice tables that others made while it waited.
    run_script(connection.get(), std::format("select pg_advisory_lock({}, -1)", names.key()),
               "wait for others that create ferry's tables");
    run_script(connection.get(), "begin", "create ferry's tables");
    const int version = version_in(connection.get(), names);
    if (version > latest()) {
        refuse_newer(version, names, server);
    }
    migrate(connection.get(), names, version);
    run_script(connection.get(), "commit", "create ferry's tables");
}

} // namespace ferry::postgres

#include "connection.hpp"

#include "errors.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <limits>

namespace ferry::sqlite {

namespace {

int milliseconds(duration wait) {
    const auto count = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
    return static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
}

connection_ptr open(const std::string& path) {
    sqlite3* handle = nullptr;
    // Serialized by SQLite itself, because handlers get hold of it.
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
    connection_ptr opened{handle}; // there is one also when it failed
    if (code != SQLITE_OK) {
        throw error_of(code, sqlite3_errstr(code), path);
    }
    return opened;
}

} // namespace

query::~query() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}

bool query::next() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        throw error_of(sqlite3_db_handle(statement_));
    }
    return code == SQLITE_ROW;
}

void query::run() {
    while (next()) {}
    reset();
}

void query::reset() {
    sqlite3_reset(statement_);
    bound_ = 0;
}

std::int64_t query::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::optional<std::int64_t> query::optional_integer(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) {
        return std::nullopt;
    }
    return integer(column);
}

std::string_view query::text(int column) const {
    const void* const bytes = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? std::string_view{} : std::string_view{static_cast<const char*>(bytes), size};
}

uuid query::id(int column) const {
    std::array<std::uint8_t, 16> bytes{};
    const std::string_view stored = text(column);
    std::copy_n(stored.begin(), std::min(stored.size(), bytes.size()), bytes.begin());
    return uuid{bytes};
}

void query::bind(std::int64_t value) { check(sqlite3_bind_int64(statement_, ++bound_, value)); }

// Without a pointer SQLite would take an empty text or blob for NULL.
void query::bind(std::string_view value) {
    const char* const data = value.data() == nullptr ? "" : value.data();
    check(sqlite3_bind_text64(statement_, ++bound_, data, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void query::bind(blob value) {
    const char* const data = value.bytes.data() == nullptr ? "" : value.bytes.data();
    check(sqlite3_bind_blob64(statement_, ++bound_, data, value.bytes.size(), SQLITE_STATIC));
}

void query::bind(const std::optional<std::int64_t>& value) {
    if (value) {
        bind(*value);
    } else {
        check(sqlite3_bind_null(statement_, ++bound_));
    }
}

void query::bind(const uuid& value) {
    check(sqlite3_bind_blob64(statement_, ++bound_, value.bytes().data(), value.bytes().size(), SQLITE_TRANSIENT));
}

void query::check(int code) const {
    if (code != SQLITE_OK) {
        throw error_of(sqlite3_db_handle(statement_));
    }
}

void statement_closer::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

statement_ptr prepare(sqlite3* connection, std::string_view sql, bool kept) {
    sqlite3_stmt* statement = nullptr;
    const unsigned flags = kept ? SQLITE_PREPARE_PERSISTENT : 0;
    if (sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()), flags, &statement, nullptr) !=
        SQLITE_OK) {
        throw error_of(connection);
    }
    return statement_ptr{statement};
}

void execute(sqlite3* connection, const char* sql) {
    if (sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        throw error_of(connection);
    }
}

connection::connection(const settings& wanted) : handle_{open(wanted.path)} {
    sqlite3_busy_timeout(handle(), milliseconds(wanted.options.busy_timeout));
    run(wanted.options.synchronous == durability::full ? "pragma synchronous = full" : "pragma synchronous = normal");
    run(wanted.options.foreign_keys ? "pragma foreign_keys = on" : "pragma foreign_keys = off");
    if (sqlite3_db_readonly(handle(), "main") == 1) {
        throw error_of(SQLITE_READONLY, "it may not be written", wanted.path);
    }
}

query connection::prepared(const std::string& sql) {
    statement_ptr& statement = statements_[sql];
    if (!statement) {
        statement = prepare(handle(), sql, true);
    }
    return query{statement.get()};
}

std::size_t connection::changes() const { return static_cast<std::size_t>(sqlite3_changes64(handle())); }

std::int64_t connection::last_number() const { return sqlite3_last_insert_rowid(handle()); }

bool connection::in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }

// A handler may have left statements of its own behind; the connection then closes with the last of them.
void connection_closer::operator()(sqlite3* connection) const noexcept { sqlite3_close_v2(connection); }

} // namespace ferry::sqlite

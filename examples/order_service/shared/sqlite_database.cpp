#include "sqlite_database.hpp"

#include <ferry/consume_context.hpp>
#include <ferry/sqlite/store.hpp>

#include <sqlite3.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace shop {

namespace {

struct finalizer {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using statement_ptr = std::unique_ptr<sqlite3_stmt, finalizer>;

[[noreturn]] void fail(sqlite3& connection) {
    const int code = sqlite3_errcode(&connection);
    // As ferry's own errors do, it says whether another try is worth it.
    throw ferry::store_error{std::string{"cannot use the database "} + sqlite3_db_filename(&connection, "main") + ": " +
                                 sqlite3_errmsg(&connection),
                             code == SQLITE_BUSY || code == SQLITE_LOCKED};
}

statement_ptr prepare(sqlite3& connection, std::string_view text) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(&connection, text.data(), static_cast<int>(text.size()), &statement, nullptr) != SQLITE_OK) {
        fail(connection);
    }
    return statement_ptr{statement};
}

void bind(sqlite3_stmt* statement, int place, const value& each) {
    if (const auto* whole = std::get_if<std::int64_t>(&each)) {
        sqlite3_bind_int64(statement, place, *whole);
    } else {
        const auto& text = std::get<std::string>(each);
        sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
}

std::vector<std::string> columns_of(sqlite3_stmt* statement) {
    std::vector<std::string> columns;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        columns.emplace_back(text == nullptr ? "" : text);
    }
    return columns;
}

result run_on(sqlite3& connection, std::string_view text, std::initializer_list<value> values) {
    const statement_ptr statement = prepare(connection, text);
    int number = 0;
    for (const value& each : values) {
        const std::string name = "$" + std::to_string(++number);
        bind(statement.get(), sqlite3_bind_parameter_index(statement.get(), name.c_str()), each);
    }
    result all;
    int code = sqlite3_step(statement.get());
    for (; code == SQLITE_ROW; code = sqlite3_step(statement.get())) {
        all.rows.push_back(columns_of(statement.get()));
    }
    if (code != SQLITE_DONE) {
        fail(connection);
    }
    all.changed = static_cast<std::size_t>(sqlite3_changes(&connection));
    return all;
}

class handler_session final : public session {
public:
    explicit handler_session(sqlite3& connection) : connection_{connection} {}
    result run(std::string_view statement, std::initializer_list<value> values) override {
        return run_on(connection_, statement, values);
    }

private:
    sqlite3& connection_;
};

class own_transaction final : public transaction {
public:
    own_transaction(sqlite3& connection, std::unique_lock<std::mutex> alone)
        : connection_{connection}, alone_{std::move(alone)} {
        run_on(connection_, "begin immediate", {}); // waits here, and not at the first write, for its turn
    }
    ~own_transaction() override {
        if (sqlite3_get_autocommit(&connection_) == 0) {
            sqlite3_exec(&connection_, "rollback", nullptr, nullptr, nullptr);
        }
    }
    result run(std::string_view statement, std::initializer_list<value> values) override {
        return run_on(connection_, statement, values);
    }
    void commit() override { run_on(connection_, "commit", {}); }
    ferry::native_transaction native() override { return ferry::native_transaction_of<sqlite3>::of(connection_); }

private:
    sqlite3& connection_;
    std::unique_lock<std::mutex> alone_;
};

/// Another writer is never at it for long. SQLite's own way of waiting doubles its pauses up to a tenth of a second,
/// and would miss most turns.
int wait_a_little(void* /*nothing*/, int earlier_waits) {
    using namespace std::chrono_literals;
    std::this_thread::sleep_for(100us);
    return earlier_waits < 50'000 ? 1 : 0;
}

} // namespace

void sqlite_database::closer::operator()(sqlite3* connection) const noexcept { sqlite3_close_v2(connection); }

sqlite_database::sqlite_database(const std::string& path) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open(path.c_str(), &opened);
    connection_.reset(opened);
    if (code != SQLITE_OK) {
        throw std::runtime_error{"cannot open the database " + path + ": " + sqlite3_errstr(code)};
    }
    sqlite3_busy_handler(opened, &wait_a_little, nullptr);
    run_on(*opened, "pragma journal_mode = wal", {});
    run_on(*opened, "pragma synchronous = normal", {}); // as in main, where it says why
}

std::unique_ptr<session> sqlite_database::in(ferry::consume_context& handler) {
    return std::make_unique<handler_session>(handler.transaction<sqlite3>());
}

std::unique_ptr<transaction> sqlite_database::begin() {
    return std::make_unique<own_transaction>(*connection_, std::unique_lock{in_use_});
}

result sqlite_database::look(std::string_view statement, std::initializer_list<value> values) {
    const std::scoped_lock alone{in_use_};
    return run_on(*connection_, statement, values);
}

std::int64_t number(const std::string& column) { return std::stoll(column); }

} // namespace shop

#include "store_suite.hpp"

#include <ferry/sqlite/store.hpp>

#include <sqlite3.h>
#include <support/temporary_folder.hpp>

#include <stdexcept>
#include <utility>

namespace ferry::testing {

namespace {

/// A connection of the application's own.
class plain_connection {
public:
    explicit plain_connection(const std::string& path) {
        if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) {
            throw std::runtime_error{"cannot open " + path};
        }
        sqlite3_busy_timeout(handle_, 10'000);
    }
    plain_connection(const plain_connection&) = delete;
    plain_connection& operator=(const plain_connection&) = delete;
    ~plain_connection() { sqlite3_close_v2(handle_); }

    [[nodiscard]] sqlite3* get() const { return handle_; }

private:
    sqlite3* handle_ = nullptr;
};

void execute(sqlite3* connection, const char* sql) {
    if (sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        throw std::runtime_error{sqlite3_errmsg(connection)};
    }
}

class sqlite_own_transaction final : public own_transaction {
public:
    explicit sqlite_own_transaction(const std::string& path) : connection_{path} {
        execute(connection_.get(), "begin");
    }

    [[nodiscard]] native_transaction native() override {
        return native_transaction_of<sqlite3>::of(*connection_.get());
    }
    void write() override { execute(connection_.get(), "insert into orders (customer) values (1)"); }
    void commit() override { execute(connection_.get(), "commit"); }

private:
    plain_connection connection_; // rolls back when it is closed
};

class sqlite_harness final : public store_harness {
public:
    sqlite_harness() {
        run("create table customers (number integer primary key);"
            "insert into customers values (1);"
            "create table orders (customer integer references customers deferrable initially deferred)");
    }

    [[nodiscard]] std::unique_ptr<store> make_store() override {
        return std::make_unique<sqlite::store>(
            path_, sqlite::store_options{.ensure_schema = false, .synchronous = sqlite::durability::normal});
    }
    [[nodiscard]] bool can_be_shared() const override { return false; }

    void write(unit_of_work& work) override {
        execute(connection_of(work), "insert into orders (customer) values (1)");
    }
    void doom(unit_of_work& work) override {
        execute(connection_of(work), "insert into orders (customer) values (404)");
    }
    [[nodiscard]] std::unique_ptr<own_transaction> begin() override {
        return std::make_unique<sqlite_own_transaction>(path_);
    }
    [[nodiscard]] std::size_t rows_of_the_application() override {
        const plain_connection connection{path_};
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(connection.get(), "select count(*) from orders", -1, &statement, nullptr);
        if (sqlite3_step(statement) != SQLITE_ROW) {
            throw std::runtime_error{sqlite3_errmsg(connection.get())};
        }
        const auto count = static_cast<std::size_t>(sqlite3_column_int64(statement, 0));
        sqlite3_finalize(statement);
        return count;
    }

    [[nodiscard]] const std::type_info& native_type() const override { return native_transaction_of<sqlite3>::type(); }
    void drop_inbox() override { run("drop table ferry_inbox"); }
    void drop_outbox() override { run("drop table ferry_outbox"); }
    void pretend_schema_version(int version) override {
        run(("update ferry_schema set version = " + std::to_string(version)).c_str());
    }

private:
    void run(const char* sql) const { execute(plain_connection{path_}.get(), sql); }
    [[nodiscard]] sqlite3* connection_of(unit_of_work& work) const {
        return static_cast<sqlite3*>(work.native(native_type()));
    }

    temporary_folder folder_;
    std::string path_ = folder_ / "shop.db";
};

const store_under_test sqlite_store{"sqlite", [] { return std::make_unique<sqlite_harness>(); }};

} // namespace

INSTANTIATE_TEST_SUITE_P(sqlite, StoreSuite, ::testing::Values(sqlite_store), ::testing::PrintToStringParamName());

} // namespace ferry::testing

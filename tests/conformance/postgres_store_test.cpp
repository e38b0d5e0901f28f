#include "store_suite.hpp"

#include <ferry/postgres/transaction.hpp>

#include <test_database.hpp>

namespace ferry::testing {

namespace {

/// A transaction of libpqxx on a connection of the application's.
class pqxx_own_transaction final : public own_transaction {
public:
    explicit pqxx_own_transaction(const std::string& url) : connection_{url}, transaction_{connection_} {}

    [[nodiscard]] native_transaction native() override { return native_transaction_of<pqxx::work>::of(transaction_); }
    void write() override { transaction_.exec("insert into orders (customer) values (1)"); }
    void commit() override { transaction_.commit(); }

private:
    pqxx::connection connection_;
    pqxx::work transaction_;
};

class postgres_harness final : public store_harness {
public:
    explicit postgres_harness(const std::type_info& native) : native_{native} {
        database_.exec("create table customers (number integer primary key);"
                       "insert into customers values (1);"
                       "create table orders (customer integer references customers deferrable initially deferred)");
    }

    [[nodiscard]] std::unique_ptr<store> make_store() override {
        return std::make_unique<postgres::store>(database_.url());
    }

    void write(unit_of_work& work) override { insert(work, "insert into orders (customer) values (1)"); }
    void doom(unit_of_work& work) override { insert(work, "insert into orders (customer) values (404)"); }
    [[nodiscard]] std::unique_ptr<own_transaction> begin() override {
        return std::make_unique<pqxx_own_transaction>(database_.url());
    }
    [[nodiscard]] std::size_t rows_of_the_application() override {
        return static_cast<std::size_t>(database_.number("select count(*) from orders"));
    }

    [[nodiscard]] const std::type_info& native_type() const override { return native_; }
    void drop_inbox() override { database_.exec("drop table ferry.inbox"); }
    void drop_outbox() override { database_.exec("drop table ferry.outbox"); }
    void pretend_schema_version(int version) override {
        database_.exec("update ferry.schema_version set version = " + std::to_string(version));
    }

private:
    // Of whichever type it is, it is a transaction_base at the same address.
    void insert(unit_of_work& work, const char* sql) const {
        static_cast<pqxx::transaction_base*>(work.native(native_))->exec(sql);
    }

    const std::type_info& native_;
    test_database database_;
};

store_under_test with(const std::string& name, const std::type_info& native) {
    return {name, [&native] { return std::make_unique<postgres_harness>(native); }};
}

} // namespace

INSTANTIATE_TEST_SUITE_P(postgres, StoreSuite,
                         ::testing::Values(with("transaction_base", typeid(pqxx::transaction_base*)),
                                           with("work", typeid(pqxx::work*))),
                         ::testing::PrintToStringParamName());

} // namespace ferry::testing

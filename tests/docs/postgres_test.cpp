// What docs/postgres.md shows: a handler that writes, and a policy for a database that is away.

#include "test_database.hpp"

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/postgres/errors.hpp>
#include <ferry/postgres/store.hpp>

#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include <latch>
#include <string>

namespace bakery {

struct order_placed {
    std::string order_id;
    double total = 0;
};
struct invoice_created {
    std::string order_id;
    double amount = 0;
};

namespace {

using namespace std::chrono_literals;

struct create_invoice {
    // #region handler
    void operator()(const order_placed& order, ferry::consume_context& context) const {
        auto& tx = context.transaction<pqxx::transaction_base>();
        tx.exec("insert into invoices values ($1, $2)", pqxx::params{order.order_id, order.total});
        context.publish(invoice_created{order.order_id, order.total});
    }
    // #endregion
};

void try_again_when_it_may_help(ferry::exception_policy& policy) {
    // #region policy
    policy.on<pqxx::failure>(ferry::postgres::is_transient).retry(5, 200ms).then_redeliver();
    // #endregion
}

TEST(PostgresDocument, keeps_everything_in_a_database) {
    ferry::bus_builder builder{"bakery"};
    // #region store
    builder.persistence(ferry::postgres::store{"postgresql:///shop"});
    // #endregion
    EXPECT_NO_THROW((void)builder.transport(ferry::memory::transport{}).build());
}

TEST(PostgresDocument, writes_and_publishes_in_one_commit) {
    ferry::testing::test_database database;
    database.exec("create table invoices (order_id text, total float8)");
    std::latch invoiced{1};
    ferry::bus_builder builder{"bakery"};
    builder.transport(ferry::memory::transport{});
    builder.persistence(ferry::postgres::store{database.url(), {.ensure_schema = true}});
    builder.resilience(try_again_when_it_may_help);
    builder.handle<order_placed>(create_invoice{});
    builder.handle<invoice_created>([&](const invoice_created&) { invoiced.count_down(); });
    ferry::bus bus = builder.build();
    bus.start();
    bus.publish(order_placed{"17", 1.5});
    invoiced.wait();
    EXPECT_EQ(database.number("select count(*) from invoices where order_id = '17' and total = 1.5"), 1);
}

} // namespace
} // namespace bakery

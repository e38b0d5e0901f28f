// What docs/sqlite.md shows: one service that keeps its orders and invoices in a file.

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/sqlite/store.hpp>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <support/temporary_folder.hpp>

#include <filesystem>
#include <latch>
#include <stdexcept>
#include <string>

namespace kiosk {

struct order_placed {
    std::string order_id;
};
struct invoice_created {
    std::string order_id;
};

namespace {

struct order {
    std::string id;
};

void insert(sqlite3& db, const char* sql, const std::string& id) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(&db, sql, -1, &statement, nullptr);
    sqlite3_bind_text(statement, 1, id.data(), static_cast<int>(id.size()), nullptr);
    const int result = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (result != SQLITE_DONE) {
        throw std::runtime_error{sqlite3_errmsg(&db)};
    }
}
void insert_order(sqlite3* db, const order& placed) { insert(*db, "insert into orders values (?)", placed.id); }
void insert_invoice(sqlite3& db, const order_placed& order) {
    insert(db, "insert into invoices values (?)", order.order_id);
}

struct create_invoice {
    // #region handler
    void operator()(const order_placed& order, ferry::consume_context& context) const {
        sqlite3& db = context.transaction<sqlite3>();
        insert_invoice(db, order); // sqlite3_prepare_v2, sqlite3_step, ... as always
        context.publish(invoice_created{order.order_id});
    }
    // #endregion
};

void place(ferry::bus& bus, sqlite3* db, const order& order) {
    // #region place
    sqlite3_exec(db, "begin immediate", nullptr, nullptr, nullptr);
    insert_order(db, order);
    bus.outbox().publish(*db, order_placed{order.id});
    sqlite3_exec(db, "commit", nullptr, nullptr, nullptr);
    // #endregion
}

TEST(SqliteDocument, writes_and_publishes_in_one_commit) {
    const ferry::testing::temporary_folder folder;
    std::filesystem::current_path(folder.path());
    std::latch invoiced{1};
    ferry::bus_builder builder{"kiosk"};
    // #region store
    builder.persistence(ferry::sqlite::store{"shop.db"});
    // #endregion
    builder.transport(ferry::memory::transport{});
    builder.handle<order_placed>(create_invoice{});
    builder.handle<invoice_created>([&](const invoice_created&) { invoiced.count_down(); });
    ferry::bus bus = builder.build();
    bus.start();

    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open("shop.db", &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    sqlite3_exec(db, "create table orders (id text); create table invoices (id text)", nullptr, nullptr, nullptr);
    place(bus, db, {"17"});
    invoiced.wait();
    bus.stop();
    EXPECT_EQ(sqlite3_exec(db, "insert into invoices select id from orders", nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_changes(db), 1);
    sqlite3_close(db);
    std::filesystem::current_path("/");
}

} // namespace
} // namespace kiosk

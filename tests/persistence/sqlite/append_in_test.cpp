#include "sqlite_support.hpp"

#include <array>

namespace ferry::testing {

using ::testing::HasSubstr;

namespace {

std::string refusal_to_append(sqlite::store& store, sqlite3& connection) {
    const std::array rows{a_row()};
    return refusal_of([&] { store.append_in(native_transaction_of<sqlite3>::of(connection), rows, {}); });
}

} // namespace

TEST_F(SqliteStore, appends_in_a_transaction_only) { // B65
    const plain_connection application{path_};

    EXPECT_THAT(refusal_to_append(store_, *application), HasSubstr("not in a transaction"));
    EXPECT_EQ(store_.count().pending, 0U);
}

TEST_F(SqliteStore, appends_on_its_own_file_only) { // B65
    const plain_connection elsewhere{folder_ / "other.db"};
    execute(elsewhere.get(), "begin");
    const plain_connection in_memory{":memory:"};
    execute(in_memory.get(), "begin");

    EXPECT_THAT(refusal_to_append(store_, *elsewhere), HasSubstr("same file"));
    EXPECT_THAT(refusal_to_append(store_, *in_memory), HasSubstr("same file"));
}

TEST_F(SqliteStore, appends_through_any_name_of_its_file) { // B65
    std::filesystem::create_symlink(path_, folder_ / "link.db");
    const plain_connection application{folder_ / "link.db"};
    execute(application.get(), "begin");
    const std::array rows{a_row()};

    store_.append_in(native_transaction_of<sqlite3>::of(*application), rows, {});
    execute(application.get(), "commit");

    EXPECT_EQ(store_.count().pending, 1U);
}

TEST_F(SqliteStore, appends_in_the_transaction_of_a_unit) { // B65
    const std::array rows{a_row()};
    {
        const auto dropped = store_.work();
        store_.append_in(native_transaction_of<sqlite3>::of(*connection_of(*dropped)), rows, {});
    }
    EXPECT_EQ(store_.count().pending, 0U);

    const auto work = store_.work();
    store_.append_in(native_transaction_of<sqlite3>::of(*connection_of(*work)), rows, {});
    work->commit();
    EXPECT_EQ(store_.count().pending, 1U);
}

TEST_F(SqliteStore, appends_all_messages_or_none) { // B65
    const plain_connection application{path_};
    execute(application.get(), "drop table ferry_schedule");
    execute(application.get(), "begin");
    const std::array rows{a_row()};

    EXPECT_THROW(store_.append_in(native_transaction_of<sqlite3>::of(*application), rows, rows), store_error);
    execute(application.get(), "commit"); // all the same

    EXPECT_EQ(store_.take(10, noon, 0)->rows().size(), 0U);
}

TEST_F(SqliteStore, cancels_in_a_transaction_on_its_own_file_only) { // B65 B79
    const plain_connection application{path_};
    const auto refusal = [&](sqlite3& connection) {
        return refusal_of([&] { (void)store_.cancel_in(native_transaction_of<sqlite3>::of(connection), {}); });
    };
    EXPECT_THAT(refusal(*application), HasSubstr("not in a transaction"));
    const plain_connection elsewhere{folder_ / "other.db"};
    execute(elsewhere.get(), "begin");
    EXPECT_THAT(refusal(*elsewhere), HasSubstr("same file"));
}

TEST_F(SqliteStore, calls_it_passing_when_a_unit_is_in_the_way_of_the_application) { // B65, B77
    const auto work = store_.work();
    work->begin();
    const plain_connection application{path_};
    execute(application.get(), "begin");
    const std::array rows{a_row()};

    try {
        store_.append_in(native_transaction_of<sqlite3>::of(*application), rows, {});
        ADD_FAILURE() << "two connections wrote at once";
    } catch (const store_error& refused) {
        EXPECT_TRUE(refused.is_transient());
    }
}

} // namespace ferry::testing

#include "sqlite_support.hpp"

#include <fstream>
#include <sstream>

namespace ferry::testing {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

std::vector<std::string> tables_in(const std::string& path) {
    const plain_connection connection{path};
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(connection.get(),
                       "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
                       -1, &statement, nullptr);
    std::vector<std::string> names;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        names.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
    }
    sqlite3_finalize(statement);
    return names;
}

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
}

} // namespace

TEST(SqliteSchema, begins_every_table_with_the_prefix) { // B78
    const temporary_folder folder;
    sqlite::store store{folder / "shop.db", {.table_prefix = "bus_of_ferry_"}};

    store.start({});
    commit_row(store, a_row());

    EXPECT_EQ(store.count().pending, 1U);
    EXPECT_THAT(tables_in(folder / "shop.db"), ElementsAre("bus_of_ferry_inbox", "bus_of_ferry_outbox",
                                                           "bus_of_ferry_schedule", "bus_of_ferry_schema"));
}

TEST(SqliteSchema, lets_two_prefixes_live_in_one_file) { // B78
    const temporary_folder folder;
    {
        sqlite::store first{folder / "shop.db", {.table_prefix = "one_"}};
        first.start({});
        commit_row(first, a_row());
    }

    sqlite::store second{folder / "shop.db", {.table_prefix = "two_"}};
    second.start({});

    EXPECT_EQ(second.count().pending, 0U);
}

TEST(SqliteSchema, can_be_made_from_its_files) { // B78
    const temporary_folder folder;
    {
        const plain_connection connection{folder / "shop.db"};
        std::vector<std::filesystem::path> files;
        for (const auto& each : std::filesystem::directory_iterator{FERRY_SQLITE_SCHEMA}) {
            files.push_back(each.path());
        }
        std::ranges::sort(files);
        ASSERT_FALSE(files.empty());
        for (const auto& each : files) {
            execute(connection.get(), text_of(each));
        }
    }

    sqlite::store store{folder / "shop.db", {.ensure_schema = false}};
    store.start({});
    commit_row(store, a_row());
    EXPECT_EQ(store.count().pending, 1U);
}

TEST(SqliteSchema, is_needed_in_full) { // B78
    const temporary_folder folder;
    sqlite::store store{folder / "shop.db", {.ensure_schema = false}};
    store.ensure_schema();
    execute(plain_connection{folder / "shop.db"}.get(), "update ferry_schema set version = 0");

    EXPECT_THAT(refusal_of([&] { store.start({}); }),
                AllOf(HasSubstr(folder / "shop.db"), HasSubstr("ferry_*"), HasSubstr("ensure_schema")));
}

TEST(SqliteSchema, is_left_as_it_was_when_it_cannot_be_made) { // B78
    const temporary_folder folder;
    execute(plain_connection{folder / "shop.db"}.get(), "create table ferry_schedule (mine integer)");
    sqlite::store store{folder / "shop.db"};

    EXPECT_THAT(refusal_of([&] { store.start({}); }), HasSubstr("ferry_schedule already exists"));

    EXPECT_THAT(tables_in(folder / "shop.db"), ElementsAre("ferry_schedule"));
}

} // namespace ferry::testing

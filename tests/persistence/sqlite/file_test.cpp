#include "sqlite_support.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace ferry::testing {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

/// Another process. What it says can be read here; it ends with this, or before when it is killed.
class other_process {
public:
    /// `act` returns what the process says before it waits for its end.
    template <std::invocable Act> explicit other_process(Act&& act) {
        std::array<int, 2> pipe{};
        if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error{"no pipe"};
        }
        id_ = ::fork();
        if (id_ == 0) {
            const std::string words = std::forward<Act>(act)();
            static_cast<void>(::write(pipe[1], words.data(), words.size()) + ::close(pipe[1]));
            for (;;) {
                ::pause();
            }
        }
        ::close(pipe[1]);
        output_ = pipe[0];
    }
    other_process(const other_process&) = delete;
    other_process& operator=(const other_process&) = delete;
    ~other_process() {
        kill();
        ::close(output_);
    }

    [[nodiscard]] std::string says() const {
        std::string words;
        std::array<char, 512> some{};
        for (ssize_t size = 0; (size = ::read(output_, some.data(), some.size())) > 0;) {
            words.append(some.data(), static_cast<std::size_t>(size));
        }
        return words;
    }
    [[nodiscard]] std::string id() const { return std::to_string(id_); }
    void kill() {
        if (id_ > 0) {
            ::kill(id_, SIGKILL);
            ::waitpid(id_, nullptr, 0);
            id_ = 0;
        }
    }

private:
    pid_t id_ = 0;
    int output_ = -1;
};

std::string started_or_refused(sqlite::store& store) {
    try {
        store.start({});
        return "started";
    } catch (const error& refused) {
        return refused.what();
    }
}

/// What a store on this path says in a process without the rights of root.
std::string without_rights(const std::string& path) {
    const other_process nobody{[&] {
        if (::getuid() == 0 && ::setuid(65534) != 0) {
            return std::string{"cannot change the user"};
        }
        sqlite::store store{path};
        return started_or_refused(store);
    }};
    return nobody.says();
}

void give_everybody(const std::filesystem::path& path, mode_t rights) { ASSERT_EQ(::chmod(path.c_str(), rights), 0); }

} // namespace

TEST(SqliteFile, serves_one_process_at_a_time) { // B71
    const temporary_folder folder;
    sqlite::store store{folder / "shop.db"};
    other_process other{[&] { return started_or_refused(store); }};
    ASSERT_EQ(other.says(), "started");

    EXPECT_THAT(refusal_of([&] { store.start({}); }),
                AllOf(HasSubstr("\"" + folder / "shop.db"), HasSubstr("process " + other.id()),
                      HasSubstr("one process at a time")));

    other.kill();
    EXPECT_NO_THROW(store.start({}));
}

TEST(SqliteFile, keeps_what_a_killed_process_has_committed_and_nothing_else) { // B76
    const temporary_folder folder;
    sqlite::store store{folder / "shop.db"};
    other_process other{[&] {
        store.start({});
        commit_row(store, a_row("committed"));
        const auto open = store.work().release();
        open->begin();
        execute(connection_of(*open), "create table half_done (number integer)");
        return std::string{"ready"};
    }};
    ASSERT_EQ(other.says(), "ready");

    other.kill();
    store.start({});

    EXPECT_EQ(store.take(10, noon, 0)->rows().size(), 1U);
    EXPECT_THROW(execute(connection_of(*store.work()), "select * from half_done"), std::runtime_error);
}

TEST(SqliteFile, is_had_by_one_store_of_a_process_under_any_name) { // B71
    const temporary_folder folder;
    sqlite::store first{folder / "shop.db"};
    first.start({});
    std::filesystem::create_symlink(folder / "shop.db", folder / "link.db");
    sqlite::store second{folder / "link.db"};

    EXPECT_THAT(refusal_of([&] { second.start({}); }), HasSubstr("another store of this process"));

    first.stop();
    EXPECT_NO_THROW(second.start({}));
}

TEST(SqliteFile, is_left_alone_when_it_is_no_database) {
    const temporary_folder folder;
    const std::string text(2000, 'x');
    std::ofstream{folder / "shop.db"} << text;
    sqlite::store store{folder / "shop.db"};

    EXPECT_THAT(refusal_of([&] { store.start({}); }), AllOf(HasSubstr("shop.db"), HasSubstr("something else")));
    EXPECT_THAT(refusal_of([&] { store.ensure_schema(); }), HasSubstr("something else"));

    EXPECT_EQ(std::filesystem::file_size(folder / "shop.db"), text.size());
}

TEST(SqliteFile, needs_a_folder_that_is_there) {
    const temporary_folder folder;
    sqlite::store store{folder / "nowhere/shop.db"};

    EXPECT_THAT(refusal_of([&] { store.start({}); }), AllOf(HasSubstr("nowhere/shop.db"), HasSubstr("folder")));
    EXPECT_THAT(refusal_of([&] { store.ensure_schema(); }), HasSubstr("folder must be there"));
}

TEST(SqliteFile, cannot_be_a_folder) {
    const temporary_folder folder;
    std::filesystem::create_directory(folder / "shop.db");
    sqlite::store store{folder / "shop.db"};

    EXPECT_THAT(refusal_of([&] { store.start({}); }), HasSubstr("unable to open"));
}

TEST(SqliteFile, needs_a_folder_that_can_be_written) {
    const temporary_folder folder;
    give_everybody(folder.path(), 0555);

    EXPECT_THAT(without_rights(folder / "shop.db"), AllOf(HasSubstr("shop.db"), HasSubstr("writable")));

    give_everybody(folder.path(), 0755);
}

TEST(SqliteFile, needs_a_file_that_can_be_written) {
    const temporary_folder folder;
    give_everybody(folder.path(), 0777);
    { sqlite::store{folder / "shop.db"}.ensure_schema(); }
    give_everybody(folder / "shop.db", 0444);

    EXPECT_THAT(without_rights(folder / "shop.db"), AllOf(HasSubstr("shop.db"), HasSubstr("may not be written")));
}

TEST(SqliteFile, is_written_ahead_and_as_safely_as_was_asked) {
    const temporary_folder folder;
    const auto setting = [](sqlite3* connection, const char* pragma) {
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(connection, pragma, -1, &statement, nullptr);
        sqlite3_step(statement);
        const std::string value = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
        sqlite3_finalize(statement);
        return value;
    };
    for (const auto& [wanted, number] :
         {std::pair{sqlite::durability::full, "2"}, std::pair{sqlite::durability::normal, "1"}}) {
        sqlite::store store{folder / "shop.db", {.synchronous = wanted}};
        store.start({});
        const auto work = store.work();
        EXPECT_EQ(setting(connection_of(*work), "pragma journal_mode"), "wal");
        EXPECT_EQ(setting(connection_of(*work), "pragma synchronous"), number);
    }
}

} // namespace ferry::testing

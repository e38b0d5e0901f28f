#pragma once

#include "../shop.hpp"

#include <ferry/sqlite/store.hpp>

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ferry::scenarios {

/// A shop whose services keep what they write in one file; the file has a table of invoices.
class stored_shop : public shop {
protected:
    stored_shop() { begin_anew(); }
    ~stored_shop() override { std::filesystem::remove_all(folder); }

    void begin_anew() {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
        exec(*own(), "create table invoices (order_id text); "
                     "create table orders (order_id text primary key); "
                     "create table lines (order_id text references orders deferrable initially deferred)");
    }

    struct closing {
        void operator()(sqlite3* connection) const noexcept { sqlite3_close(connection); }
    };
    using connection = std::unique_ptr<sqlite3, closing>;

    /// A connection as the application has it, beside those of the store.
    [[nodiscard]] connection own() const {
        sqlite3* opened = nullptr;
        if (sqlite3_open(file.c_str(), &opened) != SQLITE_OK) {
            throw std::runtime_error{"cannot open " + file};
        }
        sqlite3_busy_timeout(opened, 10'000);
        return connection{opened};
    }
    static void exec(sqlite3& on, const std::string& sql) {
        char* problem = nullptr;
        if (sqlite3_exec(&on, sql.c_str(), nullptr, nullptr, &problem) != SQLITE_OK) {
            const std::string text = problem != nullptr ? problem : "no";
            sqlite3_free(problem);
            throw std::runtime_error{text};
        }
    }
    /// The first column of every row, in the order of the query.
    [[nodiscard]] std::vector<std::string> column(const std::string& query) const {
        const connection reading = own();
        std::vector<std::string> found;
        sqlite3_exec(
            reading.get(), query.c_str(),
            [](void* out, int, char** values, char**) {
                static_cast<std::vector<std::string>*>(out)->emplace_back(values[0] != nullptr ? values[0] : "");
                return 0;
            },
            &found, nullptr);
        return found;
    }
    [[nodiscard]] std::vector<std::string> invoices() const {
        return column("select order_id from invoices order by order_id");
    }
    static void write_invoice(consume_context& context, const std::string& order_id) {
        exec(context.transaction<sqlite3>(), "insert into invoices values ('" + order_id + "')");
    }

    [[nodiscard]] std::unique_ptr<bus_builder> service(const std::string& name, persistence_options options = {}) {
        auto builder = shop::service(name);
        builder->persistence(sqlite::store{file, {.synchronous = sqlite::durability::normal}}, std::move(options));
        return builder;
    }
    /// The same on a clock that stands still until the test moves it.
    [[nodiscard]] std::unique_ptr<bus_builder> timed_service(const std::string& name,
                                                             persistence_options options = {}) {
        auto builder = service(name, std::move(options));
        builder->clock(time);
        return builder;
    }

    testing::manual_clock time;
    std::string folder =
        std::filesystem::temp_directory_path() / ("ferry-stored-shop-" + std::to_string(::getpid()) + "-" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::string file = folder + "/shop.db";
};

} // namespace ferry::scenarios

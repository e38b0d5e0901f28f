#pragma once

#include <sqlite3.h>
#include <support/temporary_folder.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace ferry::scenarios {

/// Throws what SQLite says when it does not work.
inline void exec(sqlite3& on, const std::string& sql) {
    if (sqlite3_exec(&on, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        throw std::runtime_error{sqlite3_errmsg(&on)};
    }
}

/// The database of a billing service that keeps it in a file.
class invoice_file {
public:
    invoice_file() { exec(*open(), "create table invoices (order_id text)"); }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// Each order that has an invoice, and how many it has.
    [[nodiscard]] std::map<std::string, int> invoices() const {
        std::map<std::string, int> found;
        look("select order_id, count(*) from invoices group by order_id",
             [&](char** values) { found.emplace(values[0], std::stoi(values[1])); });
        return found;
    }
    /// Rows that have not left: of the outbox and of the schedule.
    [[nodiscard]] int rows_left() const {
        int found = 0;
        look("select (select count(*) from ferry_outbox) + (select count(*) from ferry_schedule)",
             [&](char** values) { found = std::stoi(values[0]); });
        return found;
    }

private:
    using connection = std::unique_ptr<sqlite3, decltype([](sqlite3* each) { sqlite3_close(each); })>;

    [[nodiscard]] connection open() const {
        sqlite3* opened = nullptr;
        const int status = sqlite3_open(path_.c_str(), &opened);
        connection owned{opened};
        if (status != SQLITE_OK) {
            throw std::runtime_error{sqlite3_errmsg(opened)};
        }
        sqlite3_busy_timeout(opened, 5000);
        return owned;
    }
    template <typename Row> void look(const char* sql, Row row) const {
        const auto call = [](void* told, int, char** values, char**) {
            (*static_cast<Row*>(told))(values);
            return 0;
        };
        const connection opened = open();
        if (sqlite3_exec(opened.get(), sql, call, &row, nullptr) != SQLITE_OK) {
            throw std::runtime_error{sqlite3_errmsg(opened.get())};
        }
    }

    testing::temporary_folder folder_;
    std::string path_ = folder_ / "shop.db";
};

} // namespace ferry::scenarios

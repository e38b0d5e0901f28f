#pragma once

#include "settings.hpp"

#include <ferry/time.hpp>
#include <ferry/uuid.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

namespace ferry::sqlite {

/// Bytes that are not text.
struct blob {
    std::string_view bytes;
};

[[nodiscard]] inline std::int64_t nanoseconds(time_point moment) { return moment.time_since_epoch().count(); }

/// A prepared statement while it is used: its parameters are bound in order, its rows are read one by one, and it is
/// free for the next use when this goes. What is bound must stay until then.
class query {
public:
    explicit query(sqlite3_stmt* statement) noexcept : statement_{statement} {}
    query(const query&) = delete;
    query& operator=(const query&) = delete;
    ~query();

    template <typename... Values> query& with(const Values&... values) {
        (bind(values), ...);
        return *this;
    }
    /// Moves to the next row; false behind the last one. Throws store_error.
    bool next();
    /// For statements without rows. Ready to be used with other values afterwards.
    void run();
    /// Makes it ready to be used with other values.
    void reset();

    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
    /// Until the next row.
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] time_point moment(int column) const { return time_point{duration{integer(column)}}; }
    [[nodiscard]] uuid id(int column) const;

private:
    void bind(std::int64_t value);
    void bind(std::string_view value);
    void bind(blob value);
    void bind(const std::optional<std::int64_t>& value);
    void bind(time_point value) { bind(nanoseconds(value)); }
    void bind(const uuid& value);
    void check(int code) const;

    sqlite3_stmt* statement_;
    int bound_ = 0;
};

struct statement_closer {
    void operator()(sqlite3_stmt* statement) const noexcept;
};
using statement_ptr = std::unique_ptr<sqlite3_stmt, statement_closer>;

struct connection_closer {
    void operator()(sqlite3* connection) const noexcept;
};
using connection_ptr = std::unique_ptr<sqlite3, connection_closer>;

[[nodiscard]] statement_ptr prepare(sqlite3* connection, std::string_view sql, bool kept);
/// Runs statements without parameters and without rows.
void execute(sqlite3* connection, const char* sql);

/// A connection of the store's own, with its statements prepared once. For one thread at a time.
class connection {
public:
    explicit connection(const settings& wanted);
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    void run(const char* sql) { execute(handle(), sql); }
    [[nodiscard]] query prepared(const std::string& sql);
    [[nodiscard]] std::size_t changes() const;
    [[nodiscard]] std::int64_t last_number() const;
    [[nodiscard]] bool in_transaction() const;
    [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }

private:
    connection_ptr handle_;
    std::unordered_map<std::string, statement_ptr> statements_;
};

} // namespace ferry::sqlite

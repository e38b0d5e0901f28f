#pragma once

#include "connection.hpp"
#include "file_lock.hpp"
#include "in_hand.hpp"
#include "settings.hpp"
#include "turns.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace ferry::sqlite {

class database;

/// A transaction on the one connection that writes. Rolls back unless it is committed.
class writing {
public:
    writing(connection& database, std::optional<turns::turn> turn, bool inside);
    writing(writing&& other) noexcept
        : connection_{other.connection_},
          turn_{std::move(other.turn_)},
          inside_{other.inside_},
          open_{std::exchange(other.open_, false)} {}
    writing& operator=(writing&&) = delete;
    ~writing();

    [[nodiscard]] connection& operator*() const noexcept { return *connection_; }
    [[nodiscard]] connection* operator->() const noexcept { return connection_; }
    void commit();

private:
    connection* connection_;
    std::optional<turns::turn> turn_;
    bool inside_; // another transaction of the same thread
    bool open_ = true;
};

/// A look at what is committed, beside whoever writes.
class reading {
public:
    reading(connection& database, std::unique_lock<std::mutex> lock) : connection_{&database}, lock_{std::move(lock)} {}
    reading(connection& database, std::optional<turns::turn> turn) : connection_{&database}, turn_{std::move(turn)} {}

    [[nodiscard]] connection& operator*() const noexcept { return *connection_; }
    [[nodiscard]] connection* operator->() const noexcept { return connection_; }

private:
    connection* connection_;
    std::unique_lock<std::mutex> lock_;
    std::optional<turns::turn> turn_;
};

/// An open database file: one connection that writes, for one transaction after the other, and one that reads. In
/// memory there is only one for both.
class database {
public:
    explicit database(settings wanted);

    void ensure_schema();
    void check_schema();

    /// Waits for its turn and begins. What a thread writes while it has a unit of work open becomes part of that, since
    /// it would wait for itself.
    [[nodiscard]] writing write();
    /// The same for a unit of work, which commits for itself.
    [[nodiscard]] writing write_alone();
    [[nodiscard]] reading read();
    /// Calls `look(in_hand&)` while nobody else looks.
    template <typename Look> decltype(auto) with_hand(Look&& look) {
        const std::lock_guard lock{hand_mutex_};
        return look(hand_);
    }

    /// SQL written for the prefix `ferry_`.
    [[nodiscard]] std::string sql(std::string_view text) const { return with_prefix(text, prefix()); }
    [[nodiscard]] const settings& config() const noexcept { return settings_; }
    [[nodiscard]] bool is_same_file(sqlite3* other) const;

private:
    [[nodiscard]] std::string_view prefix() const { return settings_.options.table_prefix; }
    [[nodiscard]] turns::turn next_turn();

    settings settings_;
    std::unique_ptr<file_lock> alone_; // none in memory
    connection writer_;
    std::optional<connection> reader_; // none in memory
    turns turns_;
    std::mutex reading_;
    std::mutex hand_mutex_;
    in_hand hand_;
};

} // namespace ferry::sqlite

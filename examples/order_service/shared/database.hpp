#pragma once

#include <ferry/store.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ferry {
class consume_context;
}

namespace shop {

using value = std::variant<std::int64_t, std::string>;

/// What a statement came to; every column as text.
struct result {
    std::vector<std::vector<std::string>> rows = {};
    std::size_t changed = 0;
};

/// A transaction that somebody else will commit: a handler's, which is ferry's to commit. The SQL of the services is
/// understood by SQLite and PostgreSQL alike, so the services do not know which of them they have.
class session {
public:
    session() = default;
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    virtual ~session() = default;

    /// Runs one statement; $1, $2 and so on stand for the values.
    virtual result run(std::string_view statement, std::initializer_list<value> values = {}) = 0;
};

/// A transaction of the service's own. Rolled back unless it is committed.
class transaction : public session {
public:
    virtual void commit() = 0;
    /// As ferry's outbox takes it.
    [[nodiscard]] virtual ferry::native_transaction native() = 0;
};

/// A service's own tables. They lie where ferry keeps its outbox and inbox, so that one commit is for all of them.
class database {
public:
    database() = default;
    database(const database&) = delete;
    database& operator=(const database&) = delete;
    virtual ~database() = default;

    /// The transaction this attempt of a handler runs in.
    [[nodiscard]] virtual std::unique_ptr<session> in(ferry::consume_context& handler) = 0;
    /// A transaction of one's own, outside of handlers. There is one at a time; others wait.
    [[nodiscard]] virtual std::unique_ptr<transaction> begin() = 0;
    /// Runs one statement that only reads.
    [[nodiscard]] virtual result look(std::string_view statement, std::initializer_list<value> values = {}) = 0;
};

[[nodiscard]] std::int64_t number(const std::string& column);

} // namespace shop

/// `outbox.publish(transaction, message)` takes ours as well as those of libpqxx and SQLite.
template <> struct ferry::native_transaction_of<shop::transaction> {
    [[nodiscard]] static native_transaction of(shop::transaction& transaction) { return transaction.native(); }
};

#pragma once

#include <ferry/store.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <typeinfo>

namespace ferry::testing {

/// A transaction as an application without handlers has one, on a connection of its own. Destroyed it rolls back.
class own_transaction {
public:
    own_transaction() = default;
    own_transaction(const own_transaction&) = delete;
    own_transaction& operator=(const own_transaction&) = delete;
    virtual ~own_transaction() = default;

    [[nodiscard]] virtual native_transaction native() = 0;
    /// Writes a row of the application's.
    virtual void write() = 0;
    virtual void commit() = 0;
};

/// What a store brings to the suite, made anew for each test: an empty database with a table of an application's own,
/// and stores that use it.
class store_harness {
public:
    store_harness() = default;
    store_harness(const store_harness&) = delete;
    store_harness& operator=(const store_harness&) = delete;
    virtual ~store_harness() = default;

    /// One more store on the database, not started. It does not create its tables unless it is told to.
    [[nodiscard]] virtual std::unique_ptr<store> make_store() = 0;
    /// Whether several stores can be started on one database.
    [[nodiscard]] virtual bool can_be_shared() const { return true; }

    /// Writes a row of the application's in the transaction of a unit of work.
    virtual void write(unit_of_work& work) = 0;
    /// Does something in that transaction that makes its commit fail, and nothing before: a deferred constraint, say.
    virtual void doom(unit_of_work& work) = 0;
    [[nodiscard]] virtual std::unique_ptr<own_transaction> begin() = 0;
    /// How many rows the application has, committed.
    [[nodiscard]] virtual std::size_t rows_of_the_application() = 0;

    /// The type `unit_of_work::native` knows.
    [[nodiscard]] virtual const std::type_info& native_type() const = 0;
    /// Drops the store's table of claims, or that of the outbox.
    virtual void drop_inbox() = 0;
    virtual void drop_outbox() = 0;
    /// Makes the store's tables say that they are of this version.
    virtual void pretend_schema_version(int version) = 0;
};

struct store_under_test {
    std::string name;
    std::function<std::unique_ptr<store_harness>()> make_harness;

    friend std::ostream& operator<<(std::ostream& out, const store_under_test& each) { return out << each.name; }
};

} // namespace ferry::testing

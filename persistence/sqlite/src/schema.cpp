#include "schema.hpp"

#include <ferry/store.hpp>

#include <string>

namespace ferry::sqlite {

namespace {

std::int64_t current_version() { return static_cast<std::int64_t>(schema_files().size()); }

bool has_version_table(connection& database, const settings& wanted) {
    return database.prepared("select 1 from sqlite_schema where type = 'table' and name = ?")
        .with(std::string_view{wanted.options.table_prefix + "schema"})
        .next();
}

// 0 without any tables.
std::int64_t version_of(connection& database, const settings& wanted) {
    if (!has_version_table(database, wanted)) {
        return 0;
    }
    query version = database.prepared("select max(version) from " + wanted.options.table_prefix + "schema");
    return version.next() ? version.integer(0) : 0;
}

std::string tables_of(const settings& wanted) {
    return "the tables " + wanted.options.table_prefix + "* in \"" + wanted.path + "\" ";
}

void refuse_the_future(std::int64_t version, const settings& wanted) {
    if (version > current_version()) {
        throw schema_error{tables_of(wanted) + "have version " + std::to_string(version) + ", and this ferry knows " +
                           std::to_string(current_version()) +
                           ": a newer ferry made them. Update this service, or give it a file or a table_prefix of "
                           "its own"};
    }
}

void apply_missing(connection& database, const settings& wanted) {
    const std::int64_t version = version_of(database, wanted);
    refuse_the_future(version, wanted);
    for (std::int64_t next = version; next < current_version(); ++next) {
        database.run(with_prefix(schema_files()[static_cast<std::size_t>(next)], wanted.options.table_prefix).c_str());
    }
}

} // namespace

void create_schema(connection& database, const settings& wanted) {
    database.run("begin immediate"); // whoever comes second finds the tables made
    try {
        apply_missing(database, wanted);
        database.run("commit");
    } catch (...) {
        if (database.in_transaction()) {
            database.run("rollback");
        }
        throw;
    }
}

void check_schema(connection& database, const settings& wanted) {
    const std::int64_t version = version_of(database, wanted);
    refuse_the_future(version, wanted);
    if (version < current_version()) {
        throw schema_error{tables_of(wanted) +
                           (version == 0 ? "are missing" : "have version " + std::to_string(version)) +
                           ", and version " + std::to_string(current_version()) +
                           " is needed. Call ensure_schema() on the store, start it with .ensure_schema = true, or "
                           "run the files of ferry's schema/sqlite folder that are missing"};
    }
}

} // namespace ferry::sqlite

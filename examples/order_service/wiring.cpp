#include "wiring.hpp"

#include "demo/stutter.hpp"
#include "shared/postgres_database.hpp"
#include "shared/sqlite_database.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/postgres/store.hpp>
#include <ferry/sqlite/store.hpp>

namespace shop {

using namespace std::chrono_literals;

std::string memory_and_sqlite::file_of(const std::string& service) const { return folder_ / (service + ".db"); }

std::unique_ptr<ferry::transport> memory_and_sqlite::transport(const std::string& /*service*/) const {
    return std::make_unique<stutter>(std::make_unique<ferry::memory::transport>(broker_));
}

// `normal` survives a crash of the process and spares each commit its wait for the disk: the demo shall be quick on any
// machine. Where a power failure must not cost the last orders, leave it out.
std::unique_ptr<ferry::store> memory_and_sqlite::store(const std::string& service) const {
    return std::make_unique<ferry::sqlite::store>(
        file_of(service), ferry::sqlite::store_options{.synchronous = ferry::sqlite::durability::normal});
}

std::unique_ptr<database> memory_and_sqlite::tables(const std::string& service) const {
    return std::make_unique<sqlite_database>(file_of(service));
}

std::unique_ptr<ferry::transport> rabbitmq_and_postgres::transport(const std::string& service) const {
    return std::make_unique<stutter>(std::make_unique<ferry::amqp::transport>(
        broker_url_, ferry::amqp::transport_options{.name = service, .give_up_after = 5s}));
}

std::unique_ptr<ferry::store> rabbitmq_and_postgres::store(const std::string& service) const {
    return std::make_unique<ferry::postgres::store>(
        in_schema(database_url_, service), ferry::postgres::store_options{.schema = service, .ensure_schema = true});
}

std::unique_ptr<database> rabbitmq_and_postgres::tables(const std::string& service) const {
    return std::make_unique<postgres_database>(database_url_, service);
}

} // namespace shop

#include "billing.hpp"

#include <ferry/bus.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <pqxx/pqxx>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

namespace {

using namespace ferry::scenarios;

bool is_postgres(const std::string& database) { return database.starts_with("postgres"); }

void die() { std::raise(SIGKILL); }

/// Ends every connection of a ferry to this database, as an administrator would, and writes down how many there were.
void terminate_backends(const std::string& url) {
    pqxx::connection administrator{url};
    pqxx::nontransaction{administrator}.exec(
        "insert into diary select 'terminated', count(*) filter (where pg_terminate_backend(pid, 5000))"
        " from pg_stat_activity where datname = current_database() and application_name = 'ferry'");
}

/// Only PostgreSQL has one.
void write_diary(const std::string& url, const std::string& entry, std::uint64_t sent) {
    if (!is_postgres(url)) {
        return;
    }
    pqxx::connection connection{url};
    pqxx::nontransaction{connection}.exec("insert into diary values ($1, $2)", pqxx::params{entry, sent});
}

void run_until_asked_to_end(ferry::bus service, const std::string& url) {
    boost::asio::io_context io;
    boost::asio::signal_set asked{io, SIGTERM};
    asked.async_wait([](const boost::system::error_code&, int) {});
    service.start();
    write_diary(url, "started", 0);
    io.run();
    service.stop();
    write_diary(url, "ended", service.counts().outbox_sent);
}

int refuse() {
    std::cerr << "crashing_service RABBITMQ POSTGRES|FILE one_by_one|in_groups|from_memory|by_key|scheduled"
                 " [die_at|terminate_at MOMENT]\n";
    return EXIT_FAILURE;
}

} // namespace

// The billing service, which a moment of its life can kill (die_at) or rob of its connections to the database
// (terminate_at).
int main(int count, char** arguments) {
    if (count != 4 && count != 6) {
        return refuse();
    }
    const std::string database = arguments[2];
    const std::string way = arguments[3];
    const billing_options options{.rabbitmq = arguments[1],
                                  .postgres = is_postgres(database) ? database : "",
                                  .sqlite = is_postgres(database) ? "" : database,
                                  .group_commit = way == "in_groups" ? std::size_t{16} : std::size_t{1},
                                  .publish_immediately = way == "from_memory",
                                  .by_key = way == "by_key",
                                  .scheduled = way == "scheduled"};
    std::unique_ptr<fault_plan> plan = std::make_unique<fault_plan>();
    if (count == 6) {
        const auto when = parse_moment(arguments[5]);
        if (!when) {
            return refuse();
        }
        plan = std::string{arguments[4]} == "die_at"
                   ? std::make_unique<fault_plan>(*when, die)
                   : std::make_unique<fault_plan>(*when, [database] { terminate_backends(database); });
    }
    run_until_asked_to_end(billing(options, *plan)->build(), database);
    return EXIT_SUCCESS;
}

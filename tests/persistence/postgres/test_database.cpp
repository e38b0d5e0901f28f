#include "test_database.hpp"

#include <cstdlib>
#include <random>
#include <stdexcept>
#include <utility>

namespace ferry::testing {

namespace {

void run_at(const std::string& server, const std::string& sql) {
    pqxx::connection connection{server};
    pqxx::nontransaction{connection}.exec(sql);
}

std::string address_in(const std::string& url) {
    const std::size_t begin = url.find('@') + 1;
    return url.substr(begin, url.find('/', begin) - begin);
}

} // namespace

std::string postgres_server() {
    const char* const url = std::getenv("FERRY_POSTGRES_URL");
    if (url == nullptr) {
        throw std::runtime_error{"FERRY_POSTGRES_URL is not set; run this through scripts/test or scripts/services"};
    }
    return url;
}

std::string postgres_address() { return address_in(postgres_server()); }

test_database::test_database(std::string server)
    : server_{std::move(server)}, name_{"test_" + std::to_string(std::random_device{}())} {
    run_at(server_, "create database " + name_ + " strategy file_copy");
    reconnect();
}

test_database::~test_database() {
    connection_.reset();
    run_at(server_, "drop database " + name_ + " with (force)");
}

void test_database::reconnect() { connection_ = std::make_unique<pqxx::connection>(url()); }

std::string test_database::url() const { return url_at(address_in(server_)); }

std::string test_database::url_at(const std::string& address) const {
    return "postgresql://postgres@" + address + "/" + name_;
}

pqxx::result test_database::exec(const std::string& sql) { return pqxx::nontransaction{*connection_}.exec(sql); }

std::int64_t test_database::terminate_others() {
    return number("select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity"
                  " where datname = current_database() and pid <> pg_backend_pid()");
}

std::unique_ptr<postgres::store> started_store(const std::string& url, postgres::store_options options,
                                               const store_host& host) {
    options.ensure_schema = true;
    auto store = std::make_unique<postgres::store>(url, std::move(options));
    store->start(host);
    return store;
}

} // namespace ferry::testing

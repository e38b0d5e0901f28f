#include "postgres_database.hpp"

#include <ferry/consume_context.hpp>
#include <ferry/postgres/errors.hpp>
#include <ferry/postgres/transaction.hpp>

#include <pqxx/pqxx>

namespace shop {

namespace {

result to_result(const pqxx::result& answer) {
    result all{.changed = static_cast<std::size_t>(answer.affected_rows())};
    for (const auto& row : answer) {
        auto& columns = all.rows.emplace_back();
        for (const auto& field : row) {
            columns.emplace_back(field.view());
        }
    }
    return all;
}

/// What libpqxx throws is told in ferry's words: then policies need not know which database there is.
template <typename Attempt> auto translated(Attempt attempt) {
    try {
        return attempt();
    } catch (const pqxx::failure& failure) {
        throw ferry::store_error{failure.what(), ferry::postgres::is_transient(failure)};
    }
}

result run_in(pqxx::transaction_base& transaction, std::string_view statement, std::initializer_list<value> values) {
    pqxx::params given;
    for (const value& each : values) {
        std::visit([&](const auto& known) { given.append(known); }, each);
    }
    return translated([&] { return to_result(transaction.exec(statement, given)); });
}

class handler_session final : public session {
public:
    explicit handler_session(pqxx::transaction_base& transaction) : transaction_{transaction} {}
    result run(std::string_view statement, std::initializer_list<value> values) override {
        return run_in(transaction_, statement, values);
    }

private:
    pqxx::transaction_base& transaction_;
};

class own_transaction final : public transaction {
public:
    own_transaction(pqxx::connection& connection, std::unique_lock<std::mutex> alone)
        : alone_{std::move(alone)}, work_{connection} {}
    result run(std::string_view statement, std::initializer_list<value> values) override {
        return run_in(work_, statement, values);
    }
    void commit() override { work_.commit(); }
    ferry::native_transaction native() override { return ferry::native_transaction_of<pqxx::work>::of(work_); }

private:
    std::unique_lock<std::mutex> alone_;
    pqxx::work work_;
};

} // namespace

std::string in_schema(const std::string& url, std::string_view schema) {
    const char* const joint = url.contains('?') ? "&" : "?";
    return url + joint + "options=-csearch_path%3D" + std::string{schema};
}

postgres_database::postgres_database(const std::string& url, const std::string& schema) : url_{in_schema(url, schema)} {
    pqxx::work first{connected()};
    first.exec("create schema if not exists " + schema);
    first.commit();
}

postgres_database::~postgres_database() = default;

// A connection that broke is replaced by the next who needs one.
pqxx::connection& postgres_database::connected() {
    if (!connection_ || !connection_->is_open()) {
        connection_ = std::make_unique<pqxx::connection>(url_);
    }
    return *connection_;
}

std::unique_ptr<session> postgres_database::in(ferry::consume_context& handler) {
    return std::make_unique<handler_session>(handler.transaction<pqxx::transaction_base>());
}

std::unique_ptr<transaction> postgres_database::begin() {
    std::unique_lock alone{in_use_};
    pqxx::connection& usable = connected();
    return std::make_unique<own_transaction>(usable, std::move(alone));
}

result postgres_database::look(std::string_view statement, std::initializer_list<value> values) {
    const std::scoped_lock alone{in_use_};
    pqxx::nontransaction reading{connected()};
    return run_in(reading, statement, values);
}

} // namespace shop

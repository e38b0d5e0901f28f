#pragma once

#include "database.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace pqxx {
class connection;
}

namespace shop {

/// Tables in a schema of their own of a PostgreSQL database.
class postgres_database final : public database {
public:
    /// Makes the schema, if need be. Throws when the server cannot be reached.
    postgres_database(const std::string& url, const std::string& schema);
    ~postgres_database() override;

    [[nodiscard]] std::unique_ptr<session> in(ferry::consume_context& handler) override;
    [[nodiscard]] std::unique_ptr<transaction> begin() override;
    [[nodiscard]] result look(std::string_view statement, std::initializer_list<value> values) override;

private:
    [[nodiscard]] pqxx::connection& connected();

    std::string url_;
    std::unique_ptr<pqxx::connection> connection_;
    std::mutex in_use_;
};

/// The address of the database with that schema in front: what every connection of a service needs, ferry's too.
[[nodiscard]] std::string in_schema(const std::string& url, std::string_view schema);

} // namespace shop

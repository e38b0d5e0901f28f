#pragma once

#include "shared/database.hpp"

#include <ferry/ferry.hpp>
#include <ferry/memory/broker.hpp>

#include <filesystem>
#include <memory>
#include <string>

namespace shop {

/// What the services are connected to: all that differs between one process and three. A service cannot tell.
class wiring {
public:
    wiring() = default;
    wiring(const wiring&) = delete;
    wiring& operator=(const wiring&) = delete;
    virtual ~wiring() = default;

    /// What carries the messages of the service of that name.
    [[nodiscard]] virtual std::unique_ptr<ferry::transport> transport(const std::string& service) const = 0;
    /// Where ferry keeps its outbox, inbox and schedule: beside its tables.
    [[nodiscard]] virtual std::unique_ptr<ferry::store> store(const std::string& service) const = 0;
    [[nodiscard]] virtual std::unique_ptr<database> tables(const std::string& service) const = 0;
};

/// One process: messages go through memory, and each service has a file for its tables.
class memory_and_sqlite final : public wiring {
public:
    explicit memory_and_sqlite(std::filesystem::path folder) : folder_{std::move(folder)} {}

    [[nodiscard]] std::unique_ptr<ferry::transport> transport(const std::string& service) const override;
    [[nodiscard]] std::unique_ptr<ferry::store> store(const std::string& service) const override;
    [[nodiscard]] std::unique_ptr<database> tables(const std::string& service) const override;

private:
    [[nodiscard]] std::string file_of(const std::string& service) const;

    std::filesystem::path folder_;
    std::shared_ptr<ferry::memory::broker> broker_ = std::make_shared<ferry::memory::broker>();
};

/// Any number of processes: messages go over RabbitMQ, and each service has a schema in a PostgreSQL database.
class rabbitmq_and_postgres final : public wiring {
public:
    rabbitmq_and_postgres(std::string broker_url, std::string database_url)
        : broker_url_{std::move(broker_url)}, database_url_{std::move(database_url)} {}

    [[nodiscard]] std::unique_ptr<ferry::transport> transport(const std::string& service) const override;
    [[nodiscard]] std::unique_ptr<ferry::store> store(const std::string& service) const override;
    [[nodiscard]] std::unique_ptr<database> tables(const std::string& service) const override;

private:
    std::string broker_url_;
    std::string database_url_;
};

} // namespace shop

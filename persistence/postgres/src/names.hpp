#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ferry::postgres {

/// What ferry's things are called in one database: the tables of one schema and prefix.
class names {
public:
    /// Throws ferry::error when PostgreSQL would cut a name off.
    names(std::string schema, std::string prefix);

    [[nodiscard]] const std::string& schema() const noexcept { return schema_; }
    /// The quoted and qualified form: "ferry"."outbox".
    [[nodiscard]] std::string table(std::string_view name) const;
    /// A text of SQL that was written for schema `ferry` and no prefix, in these names.
    [[nodiscard]] std::string translated(std::string_view sql) const;
    /// Of advisory locks and of the channel: different for different tables in one database.
    [[nodiscard]] std::int32_t key() const noexcept;
    [[nodiscard]] std::string channel() const;

private:
    std::string schema_;
    std::string prefix_;
};

[[nodiscard]] std::string quoted_identifier(std::string_view name);

} // namespace ferry::postgres

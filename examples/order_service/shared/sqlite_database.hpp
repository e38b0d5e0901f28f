#pragma once

#include "database.hpp"

#include <memory>
#include <mutex>
#include <string>

struct sqlite3;

namespace shop {

/// Tables in a file of their own. ferry writes to the same file over another connection; the two take turns.
class sqlite_database final : public database {
public:
    /// Throws when the file can be neither opened nor made.
    explicit sqlite_database(const std::string& path);

    [[nodiscard]] std::unique_ptr<session> in(ferry::consume_context& handler) override;
    [[nodiscard]] std::unique_ptr<transaction> begin() override;
    [[nodiscard]] result look(std::string_view statement, std::initializer_list<value> values) override;

private:
    struct closer {
        void operator()(sqlite3* connection) const noexcept;
    };
    std::unique_ptr<sqlite3, closer> connection_;
    std::mutex in_use_;
};

} // namespace shop

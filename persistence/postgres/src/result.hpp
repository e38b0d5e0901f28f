#pragma once

#include <ferry/time.hpp>
#include <ferry/uuid.hpp>

#include <libpq-fe.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace ferry::postgres {

/// What a statement gave, in PostgreSQL's binary format.
class result {
public:
    explicit result(PGresult* owned) noexcept : result_{owned} {}

    [[nodiscard]] int rows() const noexcept { return PQntuples(result_.get()); }
    [[nodiscard]] bool is_null(int row, int column) const noexcept {
        return PQgetisnull(result_.get(), row, column) != 0;
    }
    [[nodiscard]] std::string_view bytes(int row, int column) const noexcept;
    [[nodiscard]] std::int64_t number(int row, int column) const noexcept; ///< of 2, 4 or 8 bytes
    [[nodiscard]] bool boolean(int row, int column) const noexcept { return bytes(row, column) == "\x01"; }
    [[nodiscard]] uuid id(int row, int column) const noexcept;
    /// How many rows the statement wrote.
    [[nodiscard]] std::size_t affected() const noexcept;
    /// What the server calls what it has done: "COMMIT".
    [[nodiscard]] std::string_view tag() const noexcept { return PQcmdStatus(result_.get()); }

private:
    struct clear {
        void operator()(PGresult* owned) const noexcept { PQclear(owned); }
    };
    std::unique_ptr<PGresult, clear> result_;
};

} // namespace ferry::postgres

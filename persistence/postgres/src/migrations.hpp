#pragma once

#include <span>
#include <string_view>

namespace ferry::postgres {

/// One of the files in persistence/postgres/schema.
struct migration {
    int version;
    std::string_view file;
    std::string_view sql;
};

/// All of them, in the order of their versions.
[[nodiscard]] std::span<const migration> migrations() noexcept;

} // namespace ferry::postgres

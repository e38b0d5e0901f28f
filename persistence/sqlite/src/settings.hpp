#pragma once

#include <ferry/sqlite/options.hpp>

#include <string>
#include <string_view>

namespace ferry::sqlite {

/// Where a store is and how it is used.
struct settings {
    std::string path; ///< a file's without links in it
    store_options options;

    [[nodiscard]] bool in_memory() const { return path == ":memory:"; }
};

/// Throws ferry::error when an option cannot work.
[[nodiscard]] settings checked(std::string path, store_options options);
/// The path that every name of a file leads to.
[[nodiscard]] std::string resolved(const std::string& path);
/// SQL that is written for the prefix `ferry_`, for another one.
[[nodiscard]] std::string with_prefix(std::string_view sql, std::string_view prefix);

} // namespace ferry::sqlite

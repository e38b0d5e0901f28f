#include "errors.hpp"

#include <sqlite3.h>

namespace ferry::sqlite {

namespace {

constexpr int primary(int code) { return code & 0xff; }

bool is_in_the_way(int code) { return primary(code) == SQLITE_BUSY || primary(code) == SQLITE_LOCKED; }

std::string_view advice_for(int code) {
    switch (primary(code)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another connection is writing to it; keep the application's own transactions short, or let ferry wait "
               "longer with busy_timeout";
    case SQLITE_FULL:
        return "the disk is full, or the database has reached its max_page_count; make room, nothing was written";
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "file and folder must be writable, because SQLite keeps its log beside the file";
    case SQLITE_CANTOPEN:
        return "the folder must be there and writable";
    case SQLITE_NOTADB:
        return "the file is something else and was left as it is; give ferry a path of its own";
    case SQLITE_CORRUPT:
        return "restore it from a backup, or save what can be read with `sqlite3 FILE .recover`";
    case SQLITE_IOERR:
        return "the disk could not be read or written; the system's log says more";
    default:
        return {};
    }
}

} // namespace

store_error error_of(int code, std::string_view message, std::string_view path) {
    std::string text = "SQLite cannot use \"" + std::string{path} + "\": " + std::string{message};
    if (const std::string_view advice = advice_for(code); !advice.empty()) {
        text.append(" (").append(advice).append(")");
    }
    return store_error{text, is_in_the_way(code)};
}

store_error error_of(sqlite3* connection) {
    const char* const path = sqlite3_db_filename(connection, "main");
    return error_of(sqlite3_errcode(connection), sqlite3_errmsg(connection),
                    path == nullptr || *path == '\0' ? ":memory:" : path);
}

} // namespace ferry::sqlite

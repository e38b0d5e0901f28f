#pragma once

#include "parameters.hpp"
#include "result.hpp"
#include "session.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ferry::postgres {

/// Several statements in one round trip: they are sent together, and then all answers are read. When one fails those
/// behind it are not run. What a connection has not prepared yet it prepares in the same flight.
class flight {
public:
    /// `purpose` completes the sentence "PostgreSQL could not ...".
    flight(session& on, std::string_view purpose);
    flight(const flight&) = delete;
    flight& operator=(const flight&) = delete;
    ~flight();

    flight& add(const statement& what, const parameters& with = {});
    /// The answer of each statement, in order. Throws sql_error for the first that failed.
    std::vector<result> land();

private:
    struct step {
        const statement* what;
        bool prepares;
    };
    void prepare(const statement& what);
    void check(bool sent);
    void collect(const step& from, std::vector<result>& answers);
    void end() noexcept;
    [[noreturn]] void fail();

    session& session_;
    std::string_view purpose_;
    std::vector<step> steps_;
    bool has_ended_ = false; // the session may be somebody else's by now
    std::string problem_;    // the first
    std::string sqlstate_;
};

/// Statements without parameters or results, separated by semicolons, in one round trip. Throws sql_error.
void run_script(PGconn* connection, const std::string& sql, std::string_view purpose);

/// "PostgreSQL could not claim messages: deadlock detected (SQLSTATE 40P01)".
[[noreturn]] void throw_sql_error(std::string_view purpose, std::string_view problem, const std::string& sqlstate);

} // namespace ferry::postgres

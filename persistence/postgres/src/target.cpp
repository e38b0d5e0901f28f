#include "target.hpp"

#include "sqlstate.hpp"

#include <ferry/postgres/errors.hpp>

#include <poll.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <format>
#include <map>
#include <regex>

namespace ferry::postgres {

namespace {

using options = std::map<std::string, std::string, std::less<>>;

/// What libpq quotes of an address may hold the password; where the text is wrong nobody knows which part of it is one.
std::string without_quotations(std::string text) {
    const std::size_t first = text.find('"');
    const std::size_t last = text.rfind('"');
    if (first != std::string::npos) {
        text.replace(first, last - first + 1, "...");
    }
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

options read(std::string_view url) {
    char* problem = nullptr;
    const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> found{
        PQconninfoParse(std::string{url}.c_str(), &problem), PQconninfoFree};
    const std::unique_ptr<char, void (*)(void*)> owned_problem{problem, PQfreemem};
    if (!found) {
        throw error{std::format("the address of the PostgreSQL database cannot be read: {}; write "
                                "postgresql://user:password@host:5432/database",
                                without_quotations(problem == nullptr ? "out of memory" : problem))};
    }
    options values;
    for (const PQconninfoOption* each = found.get(); each->keyword != nullptr; ++each) {
        if (each->val != nullptr) {
            values[each->keyword] = each->val;
        }
    }
    return values;
}

std::string text_of(const options& values, std::string_view key, std::string_view before = {}) {
    const auto found = values.find(key);
    return found == values.end() || found->second.empty() ? std::string{} : std::string{before} + found->second;
}

/// 0 for what is no number.
int number_in(const std::string& text) noexcept {
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::string describe(const options& values) {
    const std::string user = text_of(values, "user");
    return "postgresql://" + user + (user.empty() ? "" : "@") + text_of(values, "host") + text_of(values, "port", ":") +
           text_of(values, "dbname", "/");
}

/// Takes the SQLSTATE out of a verbose message, which is the only place where libpq tells that of a failed connect.
std::string take_sqlstate(std::string& text) {
    static const std::regex state{R"((\w+:  )([0-9A-Z]{5}): )"};
    static const std::regex location{R"(\n?LOCATION:[^\n]*)"};
    std::smatch found;
    const std::string code = std::regex_search(text, found, state) ? found[2].str() : std::string{};
    text = std::regex_replace(std::regex_replace(text, state, "$1"), location, "");
    text.erase(text.find_last_not_of('\n') + 1);
    return code;
}

[[noreturn]] void refuse(PGconn* connection, const std::string& description) {
    std::string text = connection == nullptr ? "out of memory" : PQerrorMessage(connection);
    const std::string state = take_sqlstate(text);
    throw sql_error{
        std::format("no connection to {}: {}{}", description, text, state.empty() ? "" : " (SQLSTATE " + state + ")"),
        state.empty() ? "08001" : state, state.empty() || is_transient_state(state)};
}

bool wait_for(PGconn* connection, short events, std::chrono::steady_clock::time_point deadline) {
    pollfd waiting{.fd = PQsocket(connection), .events = events, .revents = 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    return left > 0 && poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 60'000))) != 0;
}

} // namespace

target::target(std::string_view url, duration connect_timeout) : connect_timeout_{connect_timeout} {
    options values = read(url);
    description_ = describe(values);
    if (const int seconds = number_in(text_of(values, "connect_timeout")); seconds > 0) {
        connect_timeout_ = std::chrono::seconds{seconds};
    }
    // A server whose machine is gone says nothing, and a handler would wait for its answer for a quarter of an hour.
    values.emplace("tcp_user_timeout", "30000");
    values.emplace("keepalives_idle", "15");
    values.emplace("keepalives_interval", "5");
    values.emplace("keepalives_count", "3");
    values.emplace("fallback_application_name", "ferry");
    values["client_encoding"] = "UTF8";
    parameters_.assign(values.begin(), values.end());
}

// Step by step instead of by PQconnectdb, which would not tell why the server refused other than in its own language.
raw_connection target::connect() const {
    std::vector<const char*> keys;
    std::vector<const char*> values;
    for (const auto& [key, value] : parameters_) {
        keys.push_back(key.c_str());
        values.push_back(value.c_str());
    }
    keys.push_back(nullptr);
    values.push_back(nullptr);
    raw_connection connection{PQconnectStartParams(keys.data(), values.data(), 0)};
    if (!connection || PQstatus(connection.get()) == CONNECTION_BAD) {
        refuse(connection.get(), description_);
    }
    PQsetErrorVerbosity(connection.get(), PQERRORS_VERBOSE);
    const auto deadline = std::chrono::steady_clock::now() + connect_timeout_;
    for (auto next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK; next = PQconnectPoll(connection.get())) {
        if (next == PGRES_POLLING_FAILED) {
            refuse(connection.get(), description_);
        }
        if (!wait_for(connection.get(), next == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline)) {
            throw sql_error{std::format("no connection to {}: no answer within {}", description_,
                                        std::chrono::duration_cast<std::chrono::milliseconds>(connect_timeout_)),
                            "08001", true};
        }
    }
    PQsetErrorVerbosity(connection.get(), PQERRORS_DEFAULT);
    PQsetNoticeProcessor(connection.get(), [](void*, const char*) {}, nullptr); // libpq would write to standard error
    return connection;
}

} // namespace ferry::postgres

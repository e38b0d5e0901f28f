#pragma once

#include "names.hpp"
#include "target.hpp"

namespace ferry::postgres {

/// Throws schema_error unless the tables are there and of this version.
void check_schema(PGconn* connection, const names& names, const target& server);
/// Creates the tables, or brings them up to date. Any number may do so at once.
void ensure_schema(const names& names, const target& server);

} // namespace ferry::postgres

#pragma once

#include <string>

namespace ferry::sqlite {

/// Keeps a database to one store, as long as it lives: which rows are on their way is known to that store's memory
/// only. The lock goes with its process, however that ends; the file beside the database stays.
class file_lock {
public:
    /// Throws ferry::store_error when another store has the database.
    explicit file_lock(const std::string& database);
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;
    ~file_lock();

private:
    int file_;
};

} // namespace ferry::sqlite

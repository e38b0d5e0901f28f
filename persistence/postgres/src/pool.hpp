#pragma once

#include "session.hpp"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace ferry::postgres {

/// Connections, made when they are needed and used again. One that broke is replaced; nothing is spent on asking them
/// whether they are well.
class pool {
public:
    /// `remedy` says what to do when all are in use for too long; `settings` are run on each of them first.
    pool(const target& server, const store_options& options, std::size_t limit, std::string_view remedy,
         std::string_view settings = {});

    struct give_back {
        pool* owner;
        void operator()(session* used) const noexcept { owner->take_back(used); }
    };
    /// A connection without a transaction. What is left open in it is rolled back when it is given back.
    using lease = std::unique_ptr<session, give_back>;

    /// Waits while all are in use; throws a transient sql_error when that takes too long.
    [[nodiscard]] lease acquire();

private:
    [[nodiscard]] std::unique_ptr<session> idle_or_room();
    [[nodiscard]] lease connect();
    void take_back(session* used) noexcept;
    void forget(std::unique_ptr<session> broken) noexcept;

    const target& server_;
    const store_options& options_;
    std::size_t limit_;
    std::string_view remedy_;
    std::string_view settings_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<std::unique_ptr<session>> idle_; // the last one was used last
    std::size_t open_ = 0;
};

} // namespace ferry::postgres

#pragma once

#include "names.hpp"
#include "notifier.hpp"
#include "parameters.hpp"
#include "pool.hpp"
#include "result.hpp"
#include "statements.hpp"
#include "target.hpp"
#include "work_users.hpp"

#include <ferry/postgres/options.hpp>
#include <ferry/store.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ferry::postgres {

/// A store that is running.
class engine {
public:
    engine(const target& server, const store_options& options, const names& names, const store_host& host);

    [[nodiscard]] std::unique_ptr<unit_of_work> work();

    [[nodiscard]] std::unique_ptr<outbox_batch> take(std::size_t most, time_point now, std::int64_t after);
    [[nodiscard]] std::unique_ptr<outbox_batch> take_shard(int shard, std::size_t most, time_point now);
    void finish(std::span<const row_outcome> outcomes);

    /// Runs one of ferry's own statements in a transaction of its own, in one round trip.
    [[nodiscard]] result run(const statement& what, const parameters& with, std::string_view purpose);
    [[nodiscard]] const statements& sql() const noexcept { return sql_; }

private:
    names names_;
    statements sql_;
    work_users users_;
    pool work_; // of handlers, and of whoever publishes outside of them
    pool own_;  // so that handlers never keep the relay from finishing what it has begun
    std::optional<notifier> notifier_;
};

} // namespace ferry::postgres

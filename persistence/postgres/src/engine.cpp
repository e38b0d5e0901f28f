#include "engine.hpp"

#include "flight.hpp"
#include "handler_work.hpp"
#include "locked_batch.hpp"
#include "schema.hpp"

#include <algorithm>

namespace ferry::postgres {

namespace {

constexpr std::size_t outside_of_handlers = 2; // publish, too
constexpr std::size_t of_its_own = 5;          // a relay has three batches and a shard, and finishes rows beside them

std::size_t limit_of(const store_options& options, const store_host& host) {
    return options.max_connections.value_or(host.slots + outside_of_handlers);
}

parameters shard_key(const names& names, int shard) {
    return parameters{}.add(names.key()).add(static_cast<std::int32_t>(shard));
}

} // namespace

engine::engine(const target& server, const store_options& options, const names& names, const store_host& host)
    : names_{names},
      sql_{names},
      work_{server, options, limit_of(options, host),
            "give store_options.max_connections a higher value, or look for handlers that hold their transaction for "
            "long"},
      own_{server, options, of_its_own, "look for what keeps ferry's own statements waiting", settings_of_its_own} {
    check_schema(own_.acquire()->raw(), names_, server);
    if (options.notify) {
        notifier_.emplace(server, names_, host.rows_arrived ? host.rows_arrived : [] {}, host.log);
    }
}

std::unique_ptr<unit_of_work> engine::work() {
    return std::make_unique<handler_work>(work_.acquire(), sql_, users_, [this] {
        if (notifier_) {
            notifier_->rows_committed();
        }
    });
}

std::unique_ptr<outbox_batch> engine::take(std::size_t most, time_point now, std::int64_t after) {
    pool::lease connection = own_.acquire();
    flight flight{*connection, "take rows from the outbox"};
    flight.add(sql_.begin_own).add(sql_.keep_plans);
    flight.add(sql_.take, parameters{}.add(now).add(after).add(static_cast<std::int64_t>(most)));
    const std::vector<result> answers = flight.land();
    return std::make_unique<locked_batch>(std::move(connection), sql_, answers.back());
}

std::unique_ptr<outbox_batch> engine::take_shard(int shard, std::size_t most, time_point now) {
    pool::lease connection = own_.acquire();
    flight flight{*connection, "take a shard of the outbox"};
    flight.add(sql_.begin_own).add(sql_.lock_shard, shard_key(names_, shard));
    flight.add(sql_.take_shard,
               parameters{}.add(now).add(static_cast<std::int16_t>(shard)).add(static_cast<std::int64_t>(most)));
    const std::vector<result> answers = flight.land();
    const bool is_ours = answers[1].boolean(0, 0);
    return is_ours ? std::make_unique<locked_batch>(std::move(connection), sql_, answers.back()) : nullptr;
}

void engine::finish(std::span<const row_outcome> outcomes) {
    if (std::ranges::all_of(outcomes, [](const row_outcome& each) { return each.fate == row_fate::kept; })) {
        return;
    }
    const pool::lease connection = own_.acquire();
    flight flight{*connection, "finish rows of the outbox"};
    flight.add(sql_.begin_own);
    add_outcomes(flight, {.remove = sql_.remove_free, .mark = sql_.mark_free}, outcomes);
    flight.add(sql_.commit).land();
}

result engine::run(const statement& what, const parameters& with, std::string_view purpose) {
    const pool::lease connection = own_.acquire();
    flight flight{*connection, purpose};
    flight.add(sql_.begin_own);
    flight.add(&what == &sql_.count ? sql_.read_whole : sql_.wait_for_disk); // counting looks at every row
    flight.add(what, with).add(sql_.commit);
    std::vector<result> answers = flight.land();
    return std::move(answers[answers.size() - 2]);
}

} // namespace ferry::postgres

#include "outbox_relay.hpp"

#include <ferry/delay_schedule.hpp>
#include <ferry/exception_summary.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace ferry {

namespace {

constexpr std::size_t batches_at_once = 3; // one is read or deleted while the others are on their way
constexpr auto slice = std::chrono::milliseconds{100};
constexpr auto longest_stop = std::chrono::seconds{5};
constexpr duration between_looks_for_the_broker = std::chrono::milliseconds{200};
constexpr duration between_looks_for_locked_rows = std::chrono::milliseconds{200};
constexpr duration first_attention = std::chrono::milliseconds{1};
constexpr backoff_options waits_for_the_database{.base_delay = std::chrono::milliseconds{100},
                                                 .max_delay = std::chrono::seconds{10}};

/// The bus stops, and the broker has not answered for everything.
class abandoned {};

dead_message dead_message_of(const outbox_row& row, const row_outcome& outcome) {
    dead_message dead{.number = row.number,
                      .attempts = row.attempts + 1,
                      .error = outcome.error,
                      .created_at = row.created_at,
                      .content = row.content};
    try {
        envelope message;
        row.content.unpack(message);
        dead.id = message.message_id;
        dead.destination = message.destination.to_string();
        dead.message_type = message.message_type;
        dead.tenant = message.tenant;
    } catch (const envelope_error&) { // why it is dead
        dead.message_type.clear();
    }
    return dead;
}

std::size_t bytes_of(std::span<const outbox_row> rows) {
    std::size_t bytes = 0;
    for (const outbox_row& each : rows) {
        bytes += each.content.bytes().size();
    }
    return bytes;
}

/// Rows that may not overtake each other: the places of those with one partition key, in order.
using chain = std::vector<std::size_t>;

std::vector<chain> chains_of(std::span<const outbox_row> rows) {
    std::vector<chain> chains;
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto [place, is_new] = places.try_emplace(rows[i].partition_key, chains.size());
        if (is_new) {
            chains.emplace_back();
        }
        chains[place->second].push_back(i);
    }
    return chains;
}

} // namespace

outbox_relay::outbox_relay(ferry::store& store, outbox_carrier carrier, const relay_options& options, clock now,
                           const log_function& log)
    : store_{store},
      carrier_{std::move(carrier)},
      options_{options},
      now_{now},
      log_{log},
      sleeper_{now},
      size_{options.batch} {}

void outbox_relay::start() {
    thread_ = std::jthread{[this] { run(); }};
}

void outbox_relay::stop() noexcept {
    stopping_ = true;
    sleeper_.wake();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void outbox_relay::wake(bool keyed) {
    rows_ = true;
    if (keyed) {
        keyed_ = true;
    }
    sleeper_.wake();
}

void outbox_relay::expect_rows(bool keyed) {
    if (keyed) {
        writes_keys_ = true;
    }
    attentive_ = true;
    sleeper_.wake();
}

void outbox_relay::expect_at(time_point due) {
    {
        const std::scoped_lock lock{mutex_};
        if (due >= due_) {
            return;
        }
        due_ = due;
    }
    sleeper_.wake();
}

void outbox_relay::run() {
    relay_until_stopped();
    land_all();
    flights_.clear();
}

void outbox_relay::relay_until_stopped() {
    while (!stopping_) {
        try {
            work();
            failures_ = 0;
        } catch (const abandoned&) {
            return;
        } catch (const std::exception& failure) {
            const duration wait = waits_for_the_database.delay(failures_++);
            rows_ = keyed_ = true;
            remember_error(failure.what());
            log_(log_level::warning,
                 std::string{"the outbox waits "} + to_text(wait) + " for its database: " + failure.what());
            flights_.clear(); // what the broker took of them it gets again
            sleeper_.sleep_until(now_() + wait);
        }
    }
}

void outbox_relay::work() {
    finish_in_hand();
    land_answered();
    if (is_connected()) {
        look();
        rest();
    } else if (!has_landed()) { // its rows are not to blame, so none is touched
        sleeper_.sleep_until(now_() + between_looks_for_the_broker);
    }
}

bool outbox_relay::is_connected() const { return carrier_.transport.health().connected; }

void outbox_relay::look() {
    const time_point now = now_();
    const bool polls = now >= next_poll_;
    bool due = false;
    {
        const std::scoped_lock lock{mutex_};
        due = now >= due_;
        if (due || polls) {
            due_ = time_point::max();
        }
    }
    const bool rows = rows_.exchange(false);
    const bool keyed = keyed_.exchange(false);
    if (polls || due) {
        next_poll_ = later(now, options_.poll_interval);
        promote();
        look_ahead_ = true;
    }
    more_ = more_ || rows || polls || due;
    send_unordered();
    if (keyed || polls || due) {
        for (const int shard : store_.shards_due(now_())) {
            send_shard(shard);
        }
    }
    if (look_ahead_ && !more_ && flights_.empty()) { // rows on their way look as if they were due
        look_ahead_ = false;
        look_ahead();
    }
}

void outbox_relay::look_ahead() {
    if (const std::optional<time_point> next = store_.next_due()) {
        // What is due and was not taken is in the hands of another relay, which needs a moment.
        const time_point earliest = later(now_(), between_looks_for_locked_rows);
        const std::scoped_lock lock{mutex_};
        due_ = std::min(due_, std::max(*next, earliest));
    }
    remember_counts();
}

void outbox_relay::rest() {
    if (attentive_.exchange(false)) {
        be_attentive(first_attention);
    }
    time_point until = std::min(next_poll_, next_attention_);
    {
        const std::scoped_lock lock{mutex_};
        until = std::min(until, due_);
        const bool can_take = (rows_ || more_) && flights_.size() < batches_at_once;
        if (can_take || keyed_ || attentive_ || stopping_ || !sent_from_hand_.empty() || has_landed()) {
            return;
        }
    }
    sleeper_.sleep_until(until);
    if (now_() >= next_attention_) { // or it was woken before: the rows it expects are not there yet
        rows_ = true;
        keyed_ = keyed_ || writes_keys_;
        be_attentive(attention_ * 2);
    }
}

void outbox_relay::be_attentive(duration next) {
    attention_ = next;
    next_attention_ = next < options_.poll_interval ? later(now_(), next) : time_point::max();
}

void outbox_relay::promote() {
    while (store_.promote_due(options_.batch, now_()) == options_.batch) {}
}

// Whoever waits for a batch to land would let rows wait that are committed meanwhile.
void outbox_relay::send_unordered() {
    while (more_ && flights_.size() < batches_at_once && !stopping_ && is_connected()) {
        more_ = take_next();
    }
}

// Behind the rows that were taken last: at the beginning of the table lie those that were deleted, and each look would
// pass over them all. Now and then it begins at the beginning, since a transaction may commit long after it wrote.
bool outbox_relay::take_next() {
    const time_point now = now_();
    if (now - cursor_since_ >= options_.poll_interval) {
        cursor_ = 0;
        cursor_since_ = now;
        remember_counts();
    }
    const std::size_t most = size_.next();
    std::unique_ptr<outbox_batch> batch = store_.take(most, now, cursor_);
    const std::span<const outbox_row> rows = batch->rows();
    size_.took(rows.size(), bytes_of(rows));
    const bool full = rows.size() >= most;
    const bool look_again = full || cursor_ > 0;
    cursor_ = full ? rows.back().number : 0;
    if (!rows.empty()) {
        const auto flight = std::make_shared<outbox_flight>(rows.size());
        flight->when_landed([this] { sleeper_.wake(); });
        for (std::size_t i = 0; i < rows.size(); ++i) {
            flight->send(i, rows[i].content, carrier_);
        }
        flights_.push_back({.batch = std::move(batch), .flight = flight});
        flight->all_sent();
    }
    return look_again;
}

bool outbox_relay::has_landed() const {
    return std::ranges::any_of(flights_, [](const flight_of_batch& each) { return each.flight->has_landed(); });
}

void outbox_relay::land_answered() {
    for (auto each = flights_.begin(); each != flights_.end();) {
        if (each->flight->has_landed()) {
            const flight_of_batch landed = std::move(*each);
            each = flights_.erase(each);
            land(landed);
        } else {
            ++each;
        }
    }
}

void outbox_relay::land_all() {
    try {
        for (const flight_of_batch& each : flights_) {
            await(*each.flight);
            land(each);
        }
    } catch (const abandoned&) {
        return;
    } catch (const std::exception& failure) {
        log_(log_level::warning,
             std::string{"rows of the outbox were sent and could not be deleted: "} + failure.what());
    }
}

void outbox_relay::land(const flight_of_batch& landed) {
    finish(*landed.batch, outcomes_of(landed.batch->rows(), landed.flight->results()));
}

// One row of each key at a time: when it fails, those behind it must not have left.
void outbox_relay::send_shard(int shard) {
    const std::size_t most = size_.next();
    const std::unique_ptr<outbox_batch> batch = store_.take_shard(shard, most, now_());
    if (!batch || batch->rows().empty()) {
        return;
    }
    const std::span<const outbox_row> rows = batch->rows();
    size_.took(rows.size(), bytes_of(rows));
    std::vector<row_result> results(rows.size());
    std::vector<chain> chains = chains_of(rows);
    for (std::size_t step = 0; !chains.empty() && !stopping_; ++step) {
        const auto flight = std::make_shared<outbox_flight>(chains.size());
        for (std::size_t i = 0; i < chains.size(); ++i) {
            flight->send(i, rows[chains[i][step]].content, carrier_);
        }
        flight->all_sent();
        await(*flight);
        std::vector<chain> going_on;
        for (std::size_t i = 0; i < chains.size(); ++i) {
            results[chains[i][step]] = flight->results()[i];
            const bool goes_on = !flight->results()[i].failure || flight->results()[i].unreadable;
            if (goes_on && step + 1 < chains[i].size()) {
                going_on.push_back(std::move(chains[i]));
            }
        }
        chains = std::move(going_on);
    }
    finish(*batch, outcomes_of(rows, results));
    if (rows.size() >= most) {
        keyed_ = true; // there may be more
    }
}

void outbox_relay::await(outbox_flight& flight) {
    int slices_left = longest_stop / slice;
    while (!flight.wait_for(slice)) {
        if (stopping_ && --slices_left <= 0) {
            throw abandoned{};
        }
    }
}

std::vector<row_outcome> outbox_relay::outcomes_of(std::span<const outbox_row> rows,
                                                   std::span<const row_result> results) {
    std::vector<row_outcome> outcomes;
    outcomes.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        outcomes.push_back(outcome_of(rows[i], results[i]));
    }
    return outcomes;
}

row_outcome outbox_relay::outcome_of(const outbox_row& row, const row_result& result) {
    if (result.answered && !result.failure) {
        return {.number = row.number, .fate = row_fate::sent};
    }
    if (!result.answered || result.away) {
        return {.number = row.number, .fate = row_fate::kept};
    }
    const std::string reason = summary_of(result.failure).text;
    if (result.unreadable || row.attempts + 1 >= options_.attempts) {
        return {.number = row.number, .fate = row_fate::dead, .error = reason};
    }
    return {.number = row.number,
            .fate = row_fate::failed,
            .error = reason,
            .next_attempt = later(now_(), options_.backoff.delay(row.attempts))};
}

void outbox_relay::finish(outbox_batch& batch, const std::vector<row_outcome>& outcomes) {
    batch.finish(outcomes);
    const std::span<const outbox_row> rows = batch.rows();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        tell(rows[i], outcomes[i]);
    }
}

void outbox_relay::tell(const outbox_row& row, const row_outcome& outcome) {
    switch (outcome.fate) {
    case row_fate::sent:
        ++carrier_.counters.outbox_sent;
        return;
    case row_fate::kept:
        return;
    case row_fate::failed:
        ++carrier_.counters.outbox_failed;
        remember_error(outcome.error);
        expect_at(outcome.next_attempt);
        return log_(log_level::warning, "row " + std::to_string(row.number) +
                                            " of the outbox could not be sent and is tried again in " +
                                            to_text(options_.backoff.delay(row.attempts)) + ": " + outcome.error);
    case row_fate::dead:
        ++carrier_.counters.outbox_failed;
        remember_error(outcome.error);
        log_(log_level::error, "row " + std::to_string(row.number) + " of the outbox is given up after " +
                                   std::to_string(row.attempts + 1) + " attempts: " + outcome.error);
        return tell_of_dead(dead_message_of(row, outcome));
    }
}

void outbox_relay::tell_of_dead(const dead_message& dead) {
    if (!options_.on_dead) {
        return;
    }
    try {
        options_.on_dead(dead);
    } catch (...) {
        log_(log_level::error,
             "the callback for dead rows of the outbox failed: " + summary_of(std::current_exception()).text);
    }
}

void outbox_relay::send_now(std::vector<outbox_row> rows) {
    in_hand_ += rows.size();
    const auto kept = std::make_shared<std::vector<outbox_row>>(std::move(rows));
    const auto flight = std::make_shared<outbox_flight>(kept->size());
    flight->when_landed([this, kept, flight = std::weak_ptr{flight}] {
        if (const auto landed = flight.lock()) {
            std::vector<row_outcome> outcomes = outcomes_of(*kept, landed->results());
            const std::scoped_lock lock{mutex_};
            std::ranges::move(outcomes, std::back_inserter(sent_from_hand_));
        }
        in_hand_ -= kept->size();
        sleeper_.wake();
    });
    for (std::size_t i = 0; i < kept->size(); ++i) {
        flight->send(i, (*kept)[i].content, carrier_);
    }
    flight->all_sent();
}

// What was sent right after its commit is taken off the table now; what failed then is the relay's from here on.
void outbox_relay::finish_in_hand() {
    std::vector<row_outcome> outcomes;
    {
        const std::scoped_lock lock{mutex_};
        outcomes.swap(sent_from_hand_);
    }
    if (outcomes.empty()) {
        return;
    }
    store_.finish(outcomes);
    for (const row_outcome& each : outcomes) {
        carrier_.counters.outbox_sent += each.fate == row_fate::sent ? 1 : 0;
        carrier_.counters.outbox_failed += each.fate == row_fate::failed ? 1 : 0;
        if (each.fate == row_fate::failed) {
            expect_at(each.next_attempt);
        }
    }
}

void outbox_relay::remember_counts() {
    const store_counts found = store_.count();
    const std::scoped_lock lock{mutex_};
    counts_ = found;
}

void outbox_relay::remember_error(const std::string& what) {
    const std::scoped_lock lock{mutex_};
    last_error_ = what;
}

outbox_health outbox_relay::health() const {
    const std::scoped_lock lock{mutex_};
    return {.pending = counts_.pending, .dead = counts_.dead, .oldest = counts_.oldest, .last_error = last_error_};
}

store_counts outbox_relay::counts() const {
    const std::scoped_lock lock{mutex_};
    return counts_;
}

} // namespace ferry

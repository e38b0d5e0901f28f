#include "outbox_relay.hpp"

#include <ferry/delay_schedule.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace ferry {

namespace {

constexpr std::ptrdiff_t batches_at_once = 3; // one is read or deleted while the others are on their way
constexpr auto longest_stop = std::chrono::seconds{5};
constexpr duration between_looks_for_the_broker = std::chrono::milliseconds{200};
constexpr duration between_looks_for_locked_rows = std::chrono::milliseconds{200};
constexpr duration between_promotions = std::chrono::milliseconds{500}; // while rows flow without a pause
constexpr duration between_looks_for_late_answers = std::chrono::seconds{1};
constexpr duration longest_wait_for_answers = std::chrono::seconds{2};
constexpr duration first_attention = std::chrono::milliseconds{1};
constexpr backoff_options waits_for_the_database{.base_delay = std::chrono::milliseconds{100},
                                                 .max_delay = std::chrono::seconds{10}};

std::size_t bytes_of(std::span<const outbox_row> rows) {
    std::size_t bytes = 0;
    for (const outbox_row& each : rows) {
        bytes += each.content.bytes().size();
    }
    return bytes;
}

bool is_full(std::span<const outbox_row> rows, std::size_t most) {
    return rows.size() >= most || bytes_of(rows) >= outbox_batch_bytes;
}

row_outcome kept(const outbox_row& row) { return {.number = row.number, .fate = row_fate::kept}; }

} // namespace

outbox_relay::outbox_relay(ferry::store& store, outbox_carrier carrier, const relay_options& options, clock now,
                           const log_function& log)
    : store_{store},
      carrier_{std::move(carrier)},
      options_{options},
      now_{now},
      log_{log},
      gauge_{store, options.poll_interval / 2, now, log},
      verdicts_{options_, carrier_.transport.send_timeout(), carrier_.counters, gauge_, now, log},
      sleeper_{now},
      in_hand_{[this] { sleeper_.wake(); }},
      size_{options.batch} {}

void outbox_relay::start() {
    thread_ = std::jthread{[this] { run(); }};
}

void outbox_relay::may_send() {
    sends_ = true;
    sleeper_.wake();
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

void outbox_relay::expect_rows(bool keyed, bool scheduled) {
    if (keyed) {
        writes_keys_ = true;
    }
    if (scheduled) {
        writes_schedules_ = true;
    }
    attentive_ = true;
    sleeper_.wake();
}

void outbox_relay::others_have_committed() {
    others_ = true;
    wake(true);
}

// What was to be sent before its transaction ended was looked for too early.
void outbox_relay::expected_rows_came() {
    if (writes_schedules_) {
        expect_at(now_());
    }
    wake(writes_keys_);
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
    land_at_the_end();
    batches_.clear();
    if (failures_ == 0) { // or it would wait for its database once more
        gauge_.count();   // a stopped bus says what is left, not what was there some time before
    }
}

void outbox_relay::relay_until_stopped() {
    while (!stopping_) {
        try {
            work();
            failures_ = 0;
        } catch (const std::exception& failure) {
            const duration wait = waits_for_the_database.delay(failures_++);
            const time_point end = later(now_(), wait);
            rows_ = keyed_ = true;
            gauge_.remember_error(failure.what());
            log_(log_level::warning,
                 std::string{"the outbox waits "} + to_text(wait) + " for its database: " + failure.what());
            let_go_of_ordered();
            in_doubt_ = !batches_.empty();
            sleep_out(end);
        }
    }
}

// Their order may be another relay's to keep by now. The others have locks of their own, which are likely to be there
// still; a batch that has lost them says so when it is finished.
void outbox_relay::let_go_of_ordered() {
    std::erase_if(batches_, [this](batch_on_its_way& each) {
        if (each.is_ordered()) {
            let_go_of(each);
        }
        return each.is_ordered();
    });
}

// Whoever commits meanwhile does not bring the database back.
void outbox_relay::sleep_out(time_point end) {
    while (!stopping_ && now_() < end) {
        sleeper_.sleep_until(end);
    }
}

void outbox_relay::work() {
    finish_in_hand();
    land_answered();
    if (can_send()) {
        look();
        rest();
    } else {
        wait_for_broker();
    }
}

bool outbox_relay::can_send() const { return sends_ && carrier_.transport.health().can_send(); }

// Its rows are not to blame, so none is touched. All of them are looked for when it is back.
void outbox_relay::wait_for_broker() {
    gauge_.look();
    rows_ = keyed_ = true;
    cursor_ = 0;
    sleeper_.sleep_until(now_() + between_looks_for_the_broker);
}

void outbox_relay::look() {
    const time_point now = now_();
    const bool due = something_is_due(now);
    if (due) {
        next_poll_ = later(now, options_.poll_interval);
        look_ahead_ = true;
    }
    if (others_.exchange(false)) { // no poll: where others commit all the time the schedule is looked at now and then
        look_ahead_ = true;
    }
    if (due || (look_ahead_ && now >= next_promotion_)) {
        promote();
    }
    more_ = rows_.exchange(false) || due || more_;
    if (due) {
        keyed_ = true;
    }
    send_unordered();
    send_ordered();
    if (look_ahead_ && !more_ && batches_.empty() && shards_.empty()) { // rows on their way look as if they were due
        look_ahead_ = false;
        look_ahead();
    }
}

bool outbox_relay::something_is_due(time_point now) {
    const std::scoped_lock lock{mutex_};
    const bool clock_went_back = next_poll_ > later(now, options_.poll_interval);
    const bool due = now >= due_ || now >= next_poll_ || clock_went_back;
    if (due) {
        due_ = time_point::max();
    }
    return due;
}

void outbox_relay::look_ahead() {
    if (const std::optional<time_point> next = store_.next_due()) {
        // What is due and was not taken is in the hands of another relay, which needs a moment.
        expect_at(std::max(*next, later(now_(), between_looks_for_locked_rows)));
    }
    gauge_.look();
}

void outbox_relay::rest() {
    if (attentive_.exchange(false)) {
        be_attentive_again();
    }
    const bool can_take = (rows_ || more_) && may_take_unordered();
    const bool can_take_shard = (keyed_ || !shards_.empty()) && may_take_a_shard();
    if (can_take || can_take_shard || attentive_ || stopping_) {
        return;
    }
    sleeper_.sleep_until(next_look());
    if (now_() >= next_attention_) { // or it was woken before: the rows it expects are not there yet
        expected_rows_came();
        be_attentive(attention_ * 2);
    }
}

void outbox_relay::be_attentive(duration next) {
    attention_ = next;
    next_attention_ = next < options_.poll_interval ? later(now_(), next) : time_point::max();
}

// A look that is near stays where it is: where rows are announced all the time it would never come.
void outbox_relay::be_attentive_again() {
    const time_point near = next_attention_;
    be_attentive(first_attention);
    next_attention_ = std::min(next_attention_, near);
}

// Answers wake it by themselves, unless others are still missing beside them.
time_point outbox_relay::next_look() {
    time_point next = std::min(next_poll_, next_attention_);
    if (look_ahead_) {
        next = std::min(next, next_promotion_);
    }
    if (in_hand_.count() > 0) {
        next = std::min(next, later(now_(), between_looks_for_late_answers));
    }
    for (const batch_on_its_way& each : batches_) {
        next = std::min(
            next, later(std::max(each.sent_at(), now_() - between_looks_for_late_answers), longest_wait_for_answers));
    }
    const std::scoped_lock lock{mutex_};
    return std::min(next, due_);
}

void outbox_relay::promote() {
    std::size_t promoted = options_.batch;
    time_point now = now_();
    while (!stopping_ && promoted == options_.batch) {
        now = now_();
        promoted = store_.promote_due(options_.batch, now);
        if (promoted > 0) {
            rows_ = keyed_ = true;
        }
    }
    next_promotion_ = later(now, between_promotions); // what became due while it was at it has waited since then
}

// Whoever waits for a batch to land would let rows wait that are committed meanwhile.
void outbox_relay::send_unordered() {
    while (more_ && may_take_unordered() && !stopping_ && can_send()) {
        more_ = take_next();
    }
}

// Behind the rows that were taken last: at the beginning of the table lie those that were deleted, and each look would
// pass over them all. Now and then it begins at the beginning, since a transaction may commit long after it wrote.
bool outbox_relay::take_next() {
    const time_point now = now_();
    if (now - cursor_since_ >= options_.poll_interval || now < cursor_since_) {
        cursor_ = 0;
        cursor_since_ = now;
    }
    const std::size_t most = size_.next();
    std::unique_ptr<outbox_batch> batch = store_.take(most, now, cursor_);
    const std::span<const outbox_row> rows = batch->rows();
    const bool full = is_full(rows, most);
    const bool look_again = full || cursor_ > 0;
    cursor_ = full ? rows.back().number : 0;
    send(std::move(batch), order::none);
    gauge_.look(); // while they are on their way
    return look_again;
}

bool outbox_relay::may_take_unordered() const {
    return std::ranges::count_if(batches_, std::not_fn(&batch_on_its_way::is_ordered)) < batches_at_once;
}

// Beside the others, so that neither kind waits for the other.
bool outbox_relay::may_take_a_shard() const { return std::ranges::none_of(batches_, &batch_on_its_way::is_ordered); }

void outbox_relay::send_ordered() {
    if (shards_.empty() && keyed_ && may_take_a_shard()) {
        keyed_ = false;
        std::ranges::copy(store_.shards_due(now_()), std::back_inserter(shards_));
    }
    while (!shards_.empty() && may_take_a_shard() && !stopping_ && can_send()) {
        take_next_shard();
    }
}

void outbox_relay::take_next_shard() {
    const int shard = shards_.front();
    shards_.pop_front();
    const std::size_t most = size_.next();
    std::unique_ptr<outbox_batch> batch = store_.take_shard(shard, most, now_());
    if (!batch) { // another relay has it, which need not have seen all that is in it
        return expect_at(later(now_(), between_looks_for_locked_rows));
    }
    if (is_full(batch->rows(), most)) {
        keyed_ = true; // there may be more
    }
    send(std::move(batch), order::by_key);
}

void outbox_relay::send(std::unique_ptr<outbox_batch> taken, order how) {
    const std::span<const outbox_row> rows = taken->rows();
    if (rows.empty()) {
        return;
    }
    size_.took(rows.size(), bytes_of(rows));
    batch_on_its_way& batch = batches_.emplace_back(std::move(taken), how, not_to_be_sent_again());
    if (!send_next(batch)) { // all of it is in hand already
        sleeper_.wake();
    }
}

// In order. A batch that has lost its locks may find its rows in the next one.
std::vector<std::int64_t> outbox_relay::not_to_be_sent_again() {
    std::vector<std::int64_t> numbers;
    if (in_hand_.count() > 0) {
        numbers = in_hand_.numbers();
    }
    in_doubt_ = in_doubt_ && !batches_.empty();
    if (in_doubt_) {
        for (const batch_on_its_way& each : batches_) {
            std::ranges::transform(each.rows(), std::back_inserter(numbers), &outbox_row::number);
        }
        std::ranges::sort(numbers);
    }
    return numbers;
}

bool outbox_relay::send_next(batch_on_its_way& batch) {
    return batch.send(carrier_, now_(), [this] { sleeper_.wake(); });
}

void outbox_relay::land_answered() {
    const bool goes_on = !stopping_ && can_send();
    for (auto each = batches_.begin(); each != batches_.end();) {
        const bool lands = each->has_landed() ? !goes_on || !send_next(*each) : has_waited_enough(*each);
        if (lands) {
            batch_on_its_way landed = std::move(*each);
            each = batches_.erase(each);
            land(std::move(landed));
        } else {
            ++each;
        }
    }
}

// Rows of others must not wait behind a destination that says nothing. How many may be left behind is limited, since
// they are kept in memory.
bool outbox_relay::has_waited_enough(const batch_on_its_way& batch) const {
    return now_() - batch.sent_at() >= longest_wait_for_answers &&
           in_hand_.count() + batch.rows().size() <= 2 * options_.batch && can_send();
}

void outbox_relay::land(batch_on_its_way landed) {
    const std::span<const row_result> results = landed.results();
    std::vector<row_outcome> outcomes;
    outcomes.reserve(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        const bool nobody_will_know = stopping_ && results[i].under_way;
        outcomes.push_back(nobody_will_know ? kept(landed.rows()[i]) : verdicts_.on(landed.rows()[i], results[i]));
    }
    try {
        landed.finish(outcomes);
    } catch (...) {
        let_go_of(landed);
        throw;
    }
    landed.hand_over(in_hand_);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        settle(landed.rows()[i], outcomes[i]);
    }
    if (bytes_of(landed.rows()) >= outbox_batch_bytes) { // others may have been locked with them that did not fit
        cursor_ = 0;
        rows_ = true;
    }
}

// Its rows are free again and will be taken once more, but what the broker has said of them is not forgotten.
void outbox_relay::let_go_of(batch_on_its_way& batch) {
    const std::span<const row_result> results = batch.results();
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i].answered) {
            in_hand_.owe(batch.rows()[i], results[i]);
        }
    }
    batch.hand_over(in_hand_);
}

void outbox_relay::settle(const outbox_row& row, const row_outcome& outcome) {
    verdicts_.tell(row, outcome);
    switch (outcome.fate) {
    case row_fate::failed:
    case row_fate::postponed:
        return expect_at(outcome.next_attempt);
    case row_fate::kept: // the broker was away for a moment
        cursor_ = 0;
        return wake(!row.partition_key.empty());
    case row_fate::sent:
    case row_fate::dead:
        return;
    }
}

// Until now it was not to be taken; what the broker has not seen is.
row_outcome outbox_relay::verdict_in_hand(const outbox_row& row, const row_result& result) const {
    const row_outcome verdict = verdicts_.on(row, result);
    return verdict.fate != row_fate::kept
               ? verdict
               : row_outcome{.number = row.number, .fate = row_fate::postponed, .next_attempt = now_()};
}

// What was sent right after its commit is taken off the table now; what failed then is the relay's from here on. A row
// that was taken meanwhile is its batch's to finish.
void outbox_relay::finish_in_hand() {
    const std::span<const rows_in_hand::answered_row> answered = in_hand_.answered();
    if (answered.empty()) {
        return;
    }
    std::vector<row_outcome> outcomes;
    outcomes.reserve(answered.size());
    for (const auto& [row, result] : answered) {
        const auto hears = [&](batch_on_its_way& each) { return each.hears_of(row.number, result); };
        const bool is_taken = std::ranges::any_of(batches_, hears);
        outcomes.push_back(is_taken ? kept(row) : verdict_in_hand(row, result));
    }
    store_.finish(outcomes);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (outcomes[i].fate != row_fate::kept) {
            settle(answered[i].row, outcomes[i]);
        }
        if (!answered[i].row.partition_key.empty()) {
            keyed_ = true; // those behind it have waited for it
        }
    }
    in_hand_.forget_answered();
}

void outbox_relay::land_at_the_end() {
    const auto end = std::chrono::steady_clock::now() + longest_stop;
    for (const batch_on_its_way& each : batches_) {
        each.await_answers(end);
    }
    in_hand_.await_answers(end);
    try {
        finish_in_hand();
        while (!batches_.empty()) {
            batch_on_its_way last = std::move(batches_.front());
            batches_.pop_front();
            land(std::move(last));
        }
    } catch (const std::exception& failure) {
        log_(log_level::warning,
             std::string{"rows of the outbox were sent and could not be deleted: "} + failure.what());
    }
}

} // namespace ferry

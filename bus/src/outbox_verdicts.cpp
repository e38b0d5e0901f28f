#include "outbox_verdicts.hpp"

#include <ferry/delay_schedule.hpp>
#include <ferry/exception_summary.hpp>

namespace ferry {

namespace {

/// Until a transport that had no room may have some.
constexpr duration until_there_is_room = std::chrono::seconds{2};

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

} // namespace

row_outcome outbox_verdicts::on(const outbox_row& row, const row_result& result) const {
    if (result.answered && !result.failure) {
        return {.number = row.number, .fate = row_fate::sent};
    }
    if (result.under_way) {
        return {.number = row.number, .fate = row_fate::postponed, .next_attempt = later(now_(), longest_answer_)};
    }
    if (!result.answered || result.away) {
        return {.number = row.number, .fate = row_fate::kept};
    }
    const std::string reason = summary_of(result.failure).text;
    if (result.never_left) {
        return {.number = row.number,
                .fate = row_fate::postponed,
                .error = reason,
                .next_attempt = later(now_(), until_there_is_room)};
    }
    if (result.unreadable || row.attempts + 1 >= options_.attempts) {
        return {.number = row.number, .fate = row_fate::dead, .error = reason};
    }
    return {.number = row.number,
            .fate = row_fate::failed,
            .error = reason,
            .next_attempt = later(now_(), options_.backoff.delay(row.attempts))};
}

void outbox_verdicts::tell(const outbox_row& row, const row_outcome& outcome) const {
    switch (outcome.fate) {
    case row_fate::sent:
        ++counters_.outbox_sent;
        return;
    case row_fate::kept:
        return;
    case row_fate::postponed:
        if (!outcome.error.empty()) {
            gauge_.remember_error(outcome.error);
        }
        return;
    case row_fate::failed:
        ++counters_.outbox_failed;
        gauge_.remember_error(outcome.error);
        return log_(log_level::warning, "row " + std::to_string(row.number) +
                                            " of the outbox could not be sent and is tried again in " +
                                            to_text(options_.backoff.delay(row.attempts)) + ": " + outcome.error);
    case row_fate::dead:
        ++counters_.outbox_failed;
        gauge_.remember_error(outcome.error);
        log_(log_level::error, "row " + std::to_string(row.number) + " of the outbox is given up after " +
                                   std::to_string(row.attempts + 1) + " attempts: " + outcome.error);
        return tell_of_dead(dead_message_of(row, outcome));
    }
}

void outbox_verdicts::tell_of_dead(const dead_message& dead) const {
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

} // namespace ferry

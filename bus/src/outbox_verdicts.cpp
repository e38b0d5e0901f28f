#include "outbox_verdicts.hpp"

#include <ferry/delay_schedule.hpp>
#include <ferry/exception_summary.hpp>

namespace ferry {

namespace {

/// Until a transport that had no room may have some.
constexpr duration until_there_is_room = std::chrono::seconds{2};

/// Empty when it cannot be read.
envelope message_of(const outbox_row& row) {
    envelope message;
    try {
        row.content.unpack(message);
    } catch (const envelope_error&) {
        message.clear();
    }
    return message;
}

dead_message dead_message_of(const outbox_row& row, const envelope& message, const row_outcome& outcome) {
    return {.number = row.number,
            .id = message.message_id,
            .destination = message.destination.to_string(),
            .message_type = message.message_type,
            .tenant = message.tenant,
            .attempts = row.attempts + 1,
            .error = outcome.error,
            .created_at = row.created_at,
            .content = row.content};
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
    case row_fate::dead:
        ++counters_.outbox_failed;
        gauge_.remember_error(outcome.error);
        return tell_of_failed(row, outcome);
    }
}

void outbox_verdicts::tell_of_failed(const outbox_row& row, const row_outcome& outcome) const {
    const envelope message = message_of(row);
    const std::string which = "row " + std::to_string(row.number) + " of the outbox ";
    if (outcome.fate == row_fate::failed) {
        return log_(log_level::warning,
                    which + "could not be sent and is tried again in " + to_text(options_.backoff.delay(row.attempts)) +
                        ": " + outcome.error,
                    {.message = &message});
    }
    log_(log_level::error,
         which + "is given up after " + std::to_string(row.attempts + 1) + " attempts: " + outcome.error,
         {.message = &message});
    tell_of_dead(dead_message_of(row, message, outcome));
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

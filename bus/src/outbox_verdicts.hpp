#pragma once

#include "outbox_flight.hpp"
#include "outbox_gauge.hpp"

#include <ferry/counters.hpp>
#include <ferry/log.hpp>
#include <ferry/persistence.hpp>
#include <ferry/store.hpp>
#include <ferry/time.hpp>

namespace ferry {

/// What the broker's answer means for a row of the outbox, and who is told of it: the counters, the log, and whoever
/// asked to hear of dead rows.
class outbox_verdicts {
public:
    /// `longest_answer`: after which every row has its answer.
    outbox_verdicts(const relay_options& options, duration longest_answer, bus_counters& counters, outbox_gauge& gauge,
                    clock now, const log_function& log)
        : options_{options},
          longest_answer_{longest_answer},
          counters_{counters},
          gauge_{gauge},
          now_{now},
          log_{log} {}

    [[nodiscard]] row_outcome on(const outbox_row& row, const row_result& result) const;
    void tell(const outbox_row& row, const row_outcome& outcome) const;

private:
    void tell_of_failed(const outbox_row& row, const row_outcome& outcome) const;
    void tell_of_dead(const dead_message& dead) const;

    const relay_options& options_;
    const duration longest_answer_;
    bus_counters& counters_;
    outbox_gauge& gauge_;
    const clock now_;
    const log_function& log_;
};

} // namespace ferry

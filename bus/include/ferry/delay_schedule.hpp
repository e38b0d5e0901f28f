#pragma once

#include <ferry/time.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace ferry {

/// How the waits before further attempts grow from the base delay `d`: `d` each time, `d * n`, or `d * 2^(n-1)`.
enum class backoff : unsigned char { constant, linear, exponential };

/// How often to try again, and how long to wait before each time. An answer, not an action: whoever asks does the
/// waiting.
struct delay_schedule {
    int attempts = 3; ///< further ones, beside the first
    duration base_delay = std::chrono::milliseconds{200};
    backoff growth = backoff::exponential;
    double jitter = 0.25; ///< each wait is longer or shorter by up to this part of it, so that the failed do not march
    duration max_delay = std::chrono::seconds{30};
    std::vector<duration> intervals = {}; ///< instead of base delay and growth: exactly these waits, one an attempt

    /// Exactly these waits, without jitter or cap.
    [[nodiscard]] static delay_schedule exactly(std::vector<duration> intervals);

    /// The wait before further attempt `number` (from 1 to `attempts`). `chance`, from -1 to 1, says where between
    /// shortest and longest the jitter puts it.
    [[nodiscard]] duration delay(int number, double chance) const noexcept;

    /// The longest wait of all.
    [[nodiscard]] duration longest() const noexcept;

    /// Appends a sentence for each value that cannot work; `what` names the schedule in it.
    void validate(const std::string& what, std::vector<std::string>& problems) const;
    /// For people: "3 x 200 ms exponential", "5 min, 15 min".
    [[nodiscard]] std::string text() const;
};

/// The default of `retry()`: three more attempts, 200 ms doubling.
[[nodiscard]] delay_schedule default_retries();
/// The default of `redeliver()`: after 5, 15 and 30 minutes.
[[nodiscard]] delay_schedule default_redeliveries();

/// A length of time as people write it: "200 ms", "5 min".
[[nodiscard]] std::string to_text(duration length);

} // namespace ferry

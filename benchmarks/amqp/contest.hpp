#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry::benchmarks {

/// What a contender is asked to do. All of them understand the same command line: --mode publish --size 256 ...
struct assignment {
    std::string mode; ///< publish, consume, both; paced: latency until it is received, confirm until it is confirmed
    std::string url;
    std::string database;        ///< the address of the outbox's, for those who have one
    std::string queue = "bench"; ///< also the name of the exchange in front of it
    bool quorum = true;
    std::size_t size = 256; ///< of a body, in bytes
    std::size_t count = 10'000;
    std::size_t window = 1000;     ///< how many may be on their way unconfirmed
    std::size_t prefetch = 500;    ///< how many may be delivered and not acknowledged
    std::size_t rate = 1000;       ///< messages a second, when latency is the question
    std::size_t slots = 0;         ///< of ferry's endpoint; 0: as many as it has by default
    std::size_t group = 1;         ///< how many messages may share a transaction
    bool acknowledge_many = false; ///< one acknowledgement for all that came with one read, instead of one for each
    bool full_properties = false;  ///< those of a message of ferry, instead of the few a bare one needs

    [[nodiscard]] bool publishes() const { return mode != "consume"; }
    [[nodiscard]] bool consumes() const { return mode != "publish" && mode != "confirm"; }
    [[nodiscard]] bool is_paced() const { return mode == "latency" || mode == "confirm"; }
};

[[nodiscard]] assignment read_assignment(int count, char** arguments);

/// What a piece of work took: the time, and the processor time of all threads.
class stopwatch {
public:
    void start();
    void stop();

    [[nodiscard]] double seconds() const;
    [[nodiscard]] double processor_seconds() const;

private:
    struct moment {
        std::chrono::steady_clock::time_point time;
        std::chrono::nanoseconds processor_time{0};
    };
    static moment now();

    moment started_;
    moment stopped_;
};

/// A moment as it travels in a body.
[[nodiscard]] std::int64_t nanoseconds_now();

/// How long messages were on their way. For any thread.
class travel_times {
public:
    void add(std::int64_t sent_at) { add_duration(nanoseconds_now() - sent_at); }
    void add_duration(std::int64_t nanoseconds);
    /// The time that this share of the messages did not exceed, in microseconds.
    [[nodiscard]] double microseconds(double share);

private:
    std::mutex mutex_;
    std::vector<std::int64_t> nanoseconds_;
};

/// Which messages the broker has confirmed; it need not do so in their order.
class confirms {
public:
    explicit confirms(std::size_t messages) : confirmed_(messages + 1) {}

    /// Told the number of each message, counted from 1. Before the first answer.
    void on_each(std::function<void(std::uint64_t)> call) { on_each_ = std::move(call); }
    /// How many more that answer confirms.
    std::size_t answered(std::uint64_t number, bool multiple);

private:
    std::vector<bool> confirmed_;
    std::function<void(std::uint64_t)> on_each_;
    std::uint64_t lowest_ = 1;
};

/// Says what was found, in one line of JSON.
void report(const assignment& task, const stopwatch& watch, travel_times& times);

} // namespace ferry::benchmarks

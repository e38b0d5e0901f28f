#include "contest.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>

namespace ferry::benchmarks {

namespace {

std::chrono::nanoseconds duration_of(const timeval& time) {
    return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
}

std::chrono::nanoseconds processor_time() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return duration_of(used.ru_utime) + duration_of(used.ru_stime);
}

// Not getrusage's: that counts what the process was before it became this program.
long most_resident_kilobytes() {
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::stol(line.substr(6));
        }
    }
    return 0;
}

} // namespace

assignment read_assignment(int count, char** arguments) {
    assignment task;
    const auto number = [](std::size_t& into) {
        return [&into](const std::string& value) { into = std::stoul(value); };
    };
    const std::map<std::string_view, std::function<void(const std::string&)>> options{
        {"--mode", [&](const std::string& value) { task.mode = value; }},
        {"--url", [&](const std::string& value) { task.url = value; }},
        {"--database", [&](const std::string& value) { task.database = value; }},
        {"--queue", [&](const std::string& value) { task.queue = value; }},
        {"--type", [&](const std::string& value) { task.quorum = value == "quorum"; }},
        {"--acknowledge", [&](const std::string& value) { task.acknowledge_many = value == "many"; }},
        {"--properties", [&](const std::string& value) { task.full_properties = value == "full"; }},
        {"--size", number(task.size)},
        {"--count", number(task.count)},
        {"--window", number(task.window)},
        {"--prefetch", number(task.prefetch)},
        {"--rate", number(task.rate)},
        {"--slots", number(task.slots)},
        {"--group", number(task.group)},
    };
    for (int i = 1; i + 1 < count; i += 2) {
        const auto known = options.find(arguments[i]);
        if (known == options.end()) {
            throw std::invalid_argument{"unknown option " + std::string{arguments[i]}};
        }
        known->second(arguments[i + 1]);
    }
    return task;
}

stopwatch::moment stopwatch::now() { return {std::chrono::steady_clock::now(), processor_time()}; }

void stopwatch::start() { started_ = now(); }
void stopwatch::stop() { stopped_ = now(); }

double stopwatch::seconds() const { return std::chrono::duration<double>{stopped_.time - started_.time}.count(); }

double stopwatch::processor_seconds() const {
    return std::chrono::duration<double>{stopped_.processor_time - started_.processor_time}.count();
}

std::int64_t nanoseconds_now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

void travel_times::add_duration(std::int64_t nanoseconds) {
    const std::scoped_lock lock{mutex_};
    nanoseconds_.push_back(nanoseconds);
}

double travel_times::microseconds(double share) {
    const std::scoped_lock lock{mutex_};
    if (nanoseconds_.empty()) {
        return 0;
    }
    std::ranges::sort(nanoseconds_);
    const double last = static_cast<double>(nanoseconds_.size() - 1);
    return static_cast<double>(nanoseconds_[static_cast<std::size_t>(last * share)]) / 1000;
}

std::size_t confirms::answered(std::uint64_t number, bool multiple) {
    std::size_t more = 0;
    for (std::uint64_t each = multiple ? lowest_ : number; each <= number; ++each) {
        if (confirmed_[each]) {
            continue;
        }
        ++more;
        confirmed_[each] = true;
        if (on_each_) {
            on_each_(each);
        }
    }
    while (lowest_ < confirmed_.size() && confirmed_[lowest_]) {
        ++lowest_;
    }
    return more;
}

void report(const assignment& task, const stopwatch& watch, travel_times& times) {
    std::printf("{\"messages\": %zu, \"seconds\": %.6f, \"cpu_us\": %.3f, \"p50_us\": %.1f, \"p99_us\": %.1f, "
                "\"max_resident_kb\": %ld}\n",
                task.count, watch.seconds(),
                watch.processor_seconds() * 1e6 / static_cast<double>(std::max<std::size_t>(task.count, 1)),
                times.microseconds(0.5), times.microseconds(0.99), most_resident_kilobytes());
    std::fflush(stdout);
}

} // namespace ferry::benchmarks

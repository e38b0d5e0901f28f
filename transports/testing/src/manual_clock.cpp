#include <ferry/delay_schedule.hpp>
#include <ferry/testing/manual_clock.hpp>

#include <algorithm>
#include <utility>

namespace ferry::testing {

namespace {

std::string listed(const std::vector<time_point>& awaited, time_point now) {
    if (awaited.empty()) {
        return "nobody waits for anything";
    }
    std::string text;
    for (const time_point each : awaited) {
        text += (text.empty() ? "waited for is what comes in " : ", ") + to_text(each - now);
    }
    return text;
}

} // namespace

time_point manual_clock::now() const noexcept {
    const std::scoped_lock lock{mutex_};
    return now_;
}

bool manual_clock::wait_until(time_point due, std::stop_token stop) {
    std::unique_lock lock{mutex_};
    const auto place = waiting_.emplace(due, stop);
    changed_.notify_all();
    changed_.wait(lock, stop, [&] { return now_ >= due; });
    waiting_.erase(place);
    return !stop.stop_requested();
}

void manual_clock::advance(duration length) {
    const std::scoped_lock lock{mutex_};
    move_to(now_ + length);
}

void manual_clock::set(time_point now) {
    const std::scoped_lock lock{mutex_};
    move_to(now);
}

duration manual_clock::advance_to_next(std::chrono::milliseconds patience) {
    std::unique_lock lock{mutex_};
    const moments found = await(
        lock, [](const moments& all) { return !all.empty(); }, "somebody to wait, to move the clock there", patience);
    const duration length = found.front() - now_;
    move_to(found.front());
    return length;
}

void manual_clock::await_waiters(std::size_t count, std::chrono::milliseconds patience) {
    std::unique_lock lock{mutex_};
    await(
        lock, [count](const moments& all) { return all.size() >= count; }, std::to_string(count) + " threads to wait",
        patience);
}

void manual_clock::await_waiter_for(time_point due, std::chrono::milliseconds patience) {
    std::unique_lock lock{mutex_};
    await(
        lock, [due](const moments& all) { return std::ranges::contains(all, due); },
        "somebody to wait for what comes in " + to_text(due - now_), patience);
}

manual_clock::moments manual_clock::awaited() const {
    moments found;
    for (const auto& [due, stop] : waiting_) {
        if (due > now_ && !stop.stop_requested()) {
            found.push_back(due);
        }
    }
    return found;
}

manual_clock::moments manual_clock::await(std::unique_lock<std::mutex>& lock,
                                          const std::function<bool(const moments&)>& enough, const std::string& wanted,
                                          std::chrono::milliseconds patience) {
    moments found;
    if (!changed_.wait_for(lock, patience, [&] { return enough(found = awaited()); })) {
        throw nobody_waits{"the clock has looked " + to_text(patience) + " for " + wanted + ", but " +
                           listed(found, now_) + "; see with a probe how far the test has come"};
    }
    return found;
}

void manual_clock::move_to(time_point now) {
    now_ = now;
    changed_.notify_all();
}

} // namespace ferry::testing

#include <ferry/testing/recorder.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

namespace ferry::testing {

namespace {

bool is(const sighting& seen, observation what, const message_type& type) {
    return seen.what == what &&
           (seen.envelope.message_type == type.urn || std::ranges::contains(seen.envelope.enclosed_types, type.urn));
}

} // namespace

std::string_view to_string(observation what) noexcept {
    static constexpr std::array<std::string_view, 8> names{"published", "sent",    "replied",       "scheduled",
                                                           "handled",   "faulted", "dead-lettered", "skipped"};
    return names[static_cast<std::size_t>(what)];
}

void recorder::add(sighting seen) {
    const std::scoped_lock lock{mutex_};
    seen_.push_back(std::move(seen));
    added_.notify_all();
}

std::vector<sighting> recorder::find(observation what, const message_type& type) const {
    const std::scoped_lock lock{mutex_};
    std::vector<sighting> found;
    std::ranges::copy_if(seen_, std::back_inserter(found), [&](const sighting& each) { return is(each, what, type); });
    return found;
}

void recorder::await(observation what, const message_type& type, std::size_t wanted,
                     std::chrono::milliseconds patience) const {
    std::unique_lock lock{mutex_};
    if (!added_.wait_for(lock, patience, [&] { return count(what, type) >= wanted; })) {
        throw not_seen{type.urn + " was " + std::string{to_string(what)} + " " + std::to_string(count(what, type)) +
                       " times, not " + std::to_string(wanted) + ", within " + std::to_string(patience.count()) +
                       " ms. " + summary()};
    }
}

std::size_t recorder::count(observation what, const message_type& type) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(seen_, [&](const sighting& each) { return is(each, what, type); }));
}

std::string recorder::summary() const {
    std::map<std::string, int> lines;
    for (const sighting& each : seen_) {
        ++lines[std::string{to_string(each.what)} + " " + each.envelope.message_type +
                (each.failure.text.empty() ? "" : " (" + each.failure.type + ": " + each.failure.text + ")")];
    }
    std::string text = lines.empty() ? "Nothing was seen at all" : "Seen were:";
    for (const auto& [line, times] : lines) {
        text += "\n  " + std::to_string(times) + " x " + line;
    }
    return text;
}

} // namespace ferry::testing

#include "status.hpp"

#include <unistd.h>

#include <condition_variable>

namespace shop {

using namespace std::chrono_literals;

namespace {

service_counts counts_of(const ferry::bus_counts& all) {
    return {.handled = all.handled,
            .retries = all.retries,
            .redelivered = all.redelivered,
            .dead_letters = all.dead_lettered,
            .duplicates = all.duplicates,
            .expired = all.expired,
            .late_replies = all.late_replies};
}

} // namespace

service_counts& service_counts::operator+=(const service_counts& other) {
    handled += other.handled;
    retries += other.retries;
    redelivered += other.redelivered;
    dead_letters += other.dead_letters;
    duplicates += other.duplicates;
    expired += other.expired;
    late_replies += other.late_replies;
    return *this;
}

reporter::reporter(std::string service, ferry::bus& bus, std::function<void(service_status&)> complete)
    : service_{std::move(service)},
      bus_{bus},
      complete_{std::move(complete)},
      thread_{[this](const std::stop_token& stop) { run(stop); }} {}

void reporter::run(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any nothing;
    std::unique_lock lock{mutex};
    while (!stop.stop_requested()) {
        tell();
        nothing.wait_for(lock, stop, 200ms, [] { return false; });
    }
}

// Past the outbox: what is said here is worth nothing later. When broker or database are away it is not said, and the
// next one tells as much.
bool reporter::tell() {
    try {
        service_status status{.service = service_, .process = ::getpid(), .counts = counts_of(bus_.counts())};
        if (bus_.health().outbox) {
            status.outbox = bus_.outbox().counts().pending;
        }
        if (complete_) {
            complete_(status);
        }
        bus_.publish(status, {.expires_after = 10s, .immediate = true});
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

void status_board::note(const service_status& status) {
    const std::scoped_lock lock{mutex_};
    latest_[status.service] = status;
    counts_[{status.service, status.process}] = status.counts;
    ++told_[status.service];
}

service_status status_board::latest(const std::string& service) const {
    const std::scoped_lock lock{mutex_};
    const auto found = latest_.find(service);
    return found == latest_.end() ? service_status{.service = service} : found->second;
}

service_counts status_board::counts_of(const std::string& service) const {
    const std::scoped_lock lock{mutex_};
    service_counts sum;
    for (const auto& [whose, counts] : counts_) {
        if (whose.first == service) {
            sum += counts;
        }
    }
    return sum;
}

service_counts status_board::counts_of_all() const {
    const std::scoped_lock lock{mutex_};
    service_counts sum;
    for (const auto& [whose, counts] : counts_) {
        sum += counts;
    }
    return sum;
}

std::uint64_t status_board::told_by(const std::string& service) const {
    const std::scoped_lock lock{mutex_};
    const auto found = told_.find(service);
    return found == told_.end() ? 0 : found->second;
}

} // namespace shop

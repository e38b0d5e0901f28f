#include "bus_core.hpp"

#include <ferry/health.hpp>
#include <ferry/json/json_codec.hpp>

#include <algorithm>
#include <format>
#include <sstream>

namespace ferry {

namespace {

std::string clock_time(time_point moment) {
    return std::format("{:%FT%TZ}", std::chrono::floor<std::chrono::seconds>(moment));
}

void write(std::ostream& out, const endpoint_health& endpoint) {
    out << "endpoint " << endpoint.name << ": " << (endpoint.consuming ? "consuming" : "not consuming") << ", "
        << endpoint.in_flight << " in flight, breaker " << endpoint.breaker;
    if (endpoint.held_until) {
        out << " until " << clock_time(*endpoint.held_until);
    }
    if (endpoint.last_error_at) {
        out << "\n  last error at " << clock_time(*endpoint.last_error_at) << ": " << endpoint.last_error;
    }
    out << '\n';
}

void write(std::ostream& out, const outbox_health& outbox) {
    out << "  outbox: " << outbox.pending << " pending, " << outbox.dead << " dead";
    if (outbox.oldest) {
        out << ", the oldest from " << clock_time(*outbox.oldest);
    }
    out << '\n';
    if (!outbox.last_error.empty()) {
        out << "  last error of the outbox: " << outbox.last_error << '\n';
    }
}

} // namespace

bool bus_health::healthy() const noexcept {
    return running && transport.connected && scheduled.dead == 0 && (!outbox || outbox->dead == 0) &&
           std::ranges::all_of(endpoints, [](const endpoint_health& each) { return each.breaker == "closed"; });
}

std::string bus_health::text() const {
    std::ostringstream out;
    out << (healthy() ? "healthy" : "not healthy") << ": " << (running ? "running" : "not running") << " on "
        << transport.name << (transport.connected ? ", connected" : ", not connected") << '\n';
    if (!transport.last_error.empty()) {
        out << "  last error: " << transport.last_error << '\n';
    }
    if (scheduled.waiting + scheduled.dead > 0) {
        out << "  scheduled: " << scheduled.waiting << " waiting, " << scheduled.dead << " dead\n";
    }
    if (outbox) {
        write(out, *outbox);
    }
    for (const endpoint_health& each : endpoints) {
        write(out, each);
    }
    return out.str();
}

std::string bus_health::json() const {
    buffer out;
    json_codec<bus_health>{}.encode(this, out);
    return std::string{out.view()};
}

bus_health bus::health() const { return core_->health(); }

} // namespace ferry

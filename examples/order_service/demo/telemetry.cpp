#include "telemetry.hpp"

#include <chrono>
#include <cstdlib>

namespace shop {

namespace {

/// What takes longer to send than to happen has to wait somewhere, or whole orders would be missing in the collector.
// NOLINTBEGIN(concurrency-mt-unsafe): no thread yet
void make_room_unless_said_otherwise() {
    for (const std::string of : {"OTEL_BSP", "OTEL_BLRP"}) {
        setenv((of + "_MAX_QUEUE_SIZE").c_str(), "200000", 0);
        setenv((of + "_MAX_EXPORT_BATCH_SIZE").c_str(), "2048", 0);
    }
}
// NOLINTEND(concurrency-mt-unsafe)

constexpr auto time_for_what_is_left = std::chrono::seconds{20};

} // namespace

telemetry::telemetry(const std::string& url, const std::string& process, const ferry::log_function& log) {
    if (url.empty()) {
        return;
    }
    setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url.c_str(), 1); // NOLINT(concurrency-mt-unsafe): no thread yet
    make_room_unless_said_otherwise();
    ferry::bus_builder no_bus{process}; // a session is called after its first; which of ours that is, is chance
    const auto tell = [this, log](ferry::log_level level, std::string_view text) {
        log(level, text);
        if (level != ferry::log_level::debug) {
            note(text);
        }
    };
    session_.emplace(no_bus, ferry::otlp::session_options{.end_within = time_for_what_is_left, .log = tell});
}

void telemetry::observe(ferry::bus_builder& builder) {
    if (session_) {
        session_->observe(builder);
    }
}

void telemetry::add_news(service_status& to) const {
    const std::scoped_lock lock{mutex_};
    to.news = news_;
    to.news_number = news_number_;
}

void telemetry::note(std::string_view text) {
    const std::scoped_lock lock{mutex_};
    news_ = text;
    ++news_number_;
}

} // namespace shop

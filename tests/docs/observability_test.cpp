// What docs/observability.md shows of sessions, exporters and logs.

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>
#include <ferry/otlp/session.hpp>
#include <ferry/prometheus/exporter.hpp>
#include <ferry/telemetry/telemetry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ledger {
namespace {

using ::testing::HasSubstr;

/// The web server you have.
class web_server {
public:
    void get(const std::string& /*path*/, std::function<std::string()> page) { page_ = std::move(page); }
    [[nodiscard]] std::string page() const { return page_(); }

private:
    std::function<std::string()> page_;
};

using fields = std::vector<std::pair<std::string_view, std::string>>;
void my_log(std::string_view level, std::string_view text, const fields& /*all*/) {
    std::cout << level << ": " << text << '\n';
}

/// Starts and stops it, so that there is something to tell.
void run(ferry::bus_builder& builder) {
    builder.transport(ferry::memory::transport{});
    ferry::bus bus = builder.build();
    bus.start();
    bus.stop();
}

TEST(ObservabilityDocument, makes_a_session_in_one_line) {
    ::setenv("OTEL_SDK_DISABLED", "true", 1); // NOLINT(concurrency-mt-unsafe): nobody listens here
    // #region session
    ferry::bus_builder builder{"billing"};
    const ferry::otlp::session telemetry{builder}; // before the bus, so that it also tells of its end
    // #endregion
    run(builder);
}

TEST(ObservabilityDocument, observes_without_a_session) {
    ferry::bus_builder builder{"billing"};
    // #region observers
    builder.observe(ferry::telemetry::tracing()).observe(ferry::telemetry::metrics()).observe(ferry::telemetry::logs());
    // #endregion
    run(builder);
}

// Only compiled: the port may be taken.
[[maybe_unused]] void serve_measurements(ferry::bus_builder& builder) {
    // #region serve
    ferry::prometheus::exporter metrics{builder}; // before the bus
    metrics.serve();                              // http://127.0.0.1:9464/metrics, for a scraper on this host
    // #endregion
}

TEST(ObservabilityDocument, mounts_measurements_in_a_web_server) {
    web_server server;
    ferry::bus_builder builder{"billing"};
    const ferry::prometheus::exporter metrics{builder};
    // #region mount
    server.get("/metrics", [&] { return metrics.text(); });
    // #endregion
    builder.transport(ferry::memory::transport{});
    ferry::bus bus = builder.build();
    bus.start();
    EXPECT_THAT(server.page(), HasSubstr("ferry_transport_connected{"));
}

TEST(ObservabilityDocument, logs_to_a_function_of_ones_own) {
    ferry::bus_builder builder{"billing"};
    // #region log
    builder.log([](const ferry::log_line& line) {
        my_log(to_string(line.level), line.text, line.fields()); // name and value, for a structured log
    });
    // #endregion
    ::testing::internal::CaptureStdout();
    run(builder);
    EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("info: "));
}

TEST(ObservabilityDocument, logs_to_a_logger_of_ones_own) {
    std::ostringstream written;
    const auto my_logger =
        std::make_shared<spdlog::logger>("mine", std::make_shared<spdlog::sinks::ostream_sink_mt>(written));
    ferry::bus_builder builder{"billing"};
    // #region spdlog
    builder.log(ferry::log_to_spdlog(my_logger));
    // #endregion
    run(builder);
    EXPECT_THAT(written.str(), HasSubstr("billing"));
}

TEST(ObservabilityDocument, logs_nothing_when_that_is_wanted) {
    ferry::bus_builder builder{"billing"};
    builder.log([](ferry::log_level level, std::string_view text) { my_log(to_string(level), text, {}); });
    // #region silence
    builder.log({}); // nothing
    // #endregion
    ::testing::internal::CaptureStdout();
    run(builder);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

} // namespace
} // namespace ledger

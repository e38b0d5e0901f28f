#pragma once

#include "../../scenarios/shop.hpp"
#include "collector.hpp"

#include <ferry/otlp/session.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdlib>
#include <map>
#include <stdexcept>

namespace ferry::scenarios {

/// An environment variable for as long as a test wants it.
class variable {
public:
    variable(std::string name, const std::string& value) : name_{std::move(name)} {
        ::setenv(name_.c_str(), value.c_str(), 1); // NOLINT(concurrency-mt-unsafe): before there are threads
    }
    variable(const variable&) = delete;
    variable& operator=(const variable&) = delete;
    ~variable() { ::unsetenv(name_.c_str()); } // NOLINT(concurrency-mt-unsafe)

private:
    std::string name_;
};

/// A port nobody listens at: it was free a moment ago, and stays reserved.
class closed_port {
public:
    closed_port() { reserved_.bind({boost::asio::ip::address_v4::loopback(), 0}); }
    [[nodiscard]] std::string url() const {
        return "http://127.0.0.1:" + std::to_string(reserved_.local_endpoint().port());
    }

private:
    boost::asio::io_context io_;
    boost::asio::ip::tcp::socket reserved_{io_, boost::asio::ip::tcp::v4()};
};

/// Ways to a collector: what OTEL_EXPORTER_OTLP_PROTOCOL may say.
class observed_shop : public shop, public ::testing::WithParamInterface<std::string> {
protected:
    [[nodiscard]] static bool over_grpc() { return GetParam() == "grpc"; }
    [[nodiscard]] static std::string url_of(const testing::collector& where) {
        return over_grpc() ? where.grpc_url() : where.http_url();
    }
    [[nodiscard]] otlp::session_options quick() {
        return {.end_within = 1s, .log = [this](log_level level, std::string_view line) {
                    told.add(std::string{to_string(level)} + ": " + std::string{line});
                }};
    }

    record<std::string> told; ///< what the session says
    variable protocol{"OTEL_EXPORTER_OTLP_PROTOCOL", GetParam()};
};

inline std::string name_of(const ::testing::TestParamInfo<std::string>& protocol) {
    std::string name = protocol.param;
    std::ranges::replace(name, '/', '_');
    return name;
}

} // namespace ferry::scenarios

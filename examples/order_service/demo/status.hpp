#pragma once

#include <ferry/bus.hpp>
#include <ferry/bus_builder.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace shop {

/// What a process has counted since it began. The view adds it up over all processes, also over those that were killed.
struct service_counts {
    std::uint64_t handled = 0;
    std::uint64_t retries = 0;
    std::uint64_t redelivered = 0;
    std::uint64_t dead_letters = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t expired = 0;
    std::uint64_t late_replies = 0;

    service_counts& operator+=(const service_counts& other);
};

/// Published by every service several times a second, for whoever watches.
struct service_status {
    std::string service;
    std::int64_t process = 0;
    service_counts counts = {};
    std::uint64_t outbox = 0;     ///< rows that wait to be sent
    bool takes_orders = false;    ///< of orders: the door is open
    bool generates = false;       ///< of orders: customers are still coming by themselves
    std::int32_t port = 0;        ///< of orders: where the door is
    std::string trouble = {};     ///< what a service cannot get over
    std::string news = {};        ///< what somebody may want to know, the latest of it
    std::int32_t news_number = 0; ///< how much of it this process has had
};

/// Asks orders to take no more.
struct closing_time {
    std::string reason;
};

/// Tells how a bus is doing, until it is destroyed.
class reporter {
public:
    /// `complete` fills in what only the service knows.
    reporter(std::string service, ferry::bus& bus, std::function<void(service_status&)> complete = {});
    ~reporter() = default;
    reporter(const reporter&) = delete;
    reporter& operator=(const reporter&) = delete;

private:
    void run(const std::stop_token& stop);
    bool tell();

    std::string service_;
    ferry::bus& bus_;
    std::function<void(service_status&)> complete_;
    std::jthread thread_;
};

/// What all of them have told.
class status_board {
public:
    void note(const service_status& status);

    /// The latest of the service; one of process 0 while there is none.
    [[nodiscard]] service_status latest(const std::string& service) const;
    [[nodiscard]] service_counts counts_of(const std::string& service) const;
    [[nodiscard]] service_counts counts_of_all() const;
    [[nodiscard]] std::uint64_t told_by(const std::string& service) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, service_status> latest_;
    std::map<std::pair<std::string, std::int64_t>, service_counts> counts_;
    std::map<std::string, std::uint64_t> told_;
};

} // namespace shop

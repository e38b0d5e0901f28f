#pragma once

#include "connection.hpp"
#include "reconnect_schedule.hpp"

#include <ferry/log.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>

namespace ferry::amqp {

/// What works over a link. Called on the I/O thread.
class link_user {
public:
    /// There is a connection: time to set up what is needed, and then to say `established`, or `fail`.
    virtual void connected(connection& fresh) = 0;
    /// The connection is gone, and everything on it.
    virtual void disconnected(const std::string& reason) = 0;
    virtual void blocked(const std::string&) {}
    virtual void unblocked() {}
    [[nodiscard]] virtual std::chrono::microseconds read_done() { return {}; }
    virtual void write_done() {}

protected:
    ~link_user() = default;
};

/// A way to the broker that mends itself: one connection at a time, and the next one when it is lost. Lives on the I/O
/// thread, except where it says otherwise.
class link final : private connection_user {
public:
    link(boost::asio::io_context& io, connection_settings settings, link_user& user, log_function log);
    link(const link&) = delete;
    link& operator=(const link&) = delete;
    ~link();

    void start();
    /// Closes politely and calls back when nothing is left that could call anybody.
    void stop(std::function<void()> stopped);

    /// What was set up on the connection works.
    void established();
    /// What was to be set up does not work; the next connection may do better.
    void fail(const std::string& reason);
    /// Some of it does not work and the rest does: the connection stays, and whoever asks is told.
    void complain(const std::string& reason);

    /// From any thread.
    [[nodiscard]] bool is_up() const noexcept { return up_; }
    [[nodiscard]] std::string last_error() const;
    /// Long ago, when there never was one.
    [[nodiscard]] std::chrono::steady_clock::time_point last_error_at() const;
    [[nodiscard]] const std::string& name() const noexcept { return settings_.name; }

private:
    void opened() override;
    void closed(const std::string& reason) override;
    void blocked(const std::string& reason) override;
    void unblocked() override;
    [[nodiscard]] std::chrono::microseconds read_done() override { return user_.read_done(); }
    void write_done() override;

    void try_next();
    void remember(const std::string& error);

    boost::asio::io_context& io_;
    const connection_settings settings_;
    link_user& user_;
    const log_function log_;
    reconnect_schedule schedule_;
    boost::asio::steady_timer wait_{io_};
    std::minstd_rand random_{std::random_device{}()};
    std::shared_ptr<connection> connection_;
    bool was_open_ = false;
    std::chrono::steady_clock::time_point up_since_;
    std::function<void()> stopped_;
    std::atomic<bool> up_{false};
    mutable std::mutex mutex_;
    std::string last_error_;
    std::chrono::steady_clock::time_point last_error_at_;
};

} // namespace ferry::amqp

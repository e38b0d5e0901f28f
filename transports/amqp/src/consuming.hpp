#pragma once

#include "consumer.hpp"
#include "declaration.hpp"
#include "link.hpp"
#include "publisher.hpp"
#include "topology_book.hpp"

#include <ferry/transport.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ferry::amqp {

/// The receiving half of a transport: a connection, and a channel for each subscription. Lives on the I/O thread,
/// except where it says otherwise.
class consuming final : private link_user, private consumer_keeper {
public:
    consuming(boost::asio::io_context& io, const connection_settings& settings, topology_book& book, publisher& out,
              clock now, const log_function& log);
    consuming(const consuming&) = delete;
    consuming& operator=(const consuming&) = delete;
    ~consuming();

    /// From any thread. Connects when it is the first; calls back when messages can come.
    [[nodiscard]] consumer_ptr add(const std::string& queue, const consume_options& options, delivery_sink& sink,
                                   std::function<void(std::exception_ptr)> begun);
    /// Tells the broker what was settled until now, and closes. Calls back in the end.
    void stop(std::function<void()> stopped);

    [[nodiscard]] const link& way() const noexcept { return link_; }
    /// From any thread: there are subscriptions, so there should be a connection.
    [[nodiscard]] bool is_needed() const noexcept { return needed_; }
    /// From any thread: something that should be consumed is not, although there is a connection.
    [[nodiscard]] bool is_ailing() const noexcept { return ailing_; }

private:
    void connected(connection& fresh) override;
    void disconnected(const std::string& reason) override;
    [[nodiscard]] std::chrono::microseconds read_done() override;
    void needs_repair(consumer& which, const std::string& reason) override;
    void is_well(consumer& which) override;
    void has_ended(consumer& which) override;
    [[nodiscard]] std::string type_of(const std::string& routing_key, const std::string& queue) const override;
    void send(const envelope& message, const std::string& queue, send_callback on_outcome) override;
    [[nodiscard]] time_point now() const override { return now_(); }
    void tell(const std::string& what) override { log_(log_level::error, settings_.name + ": " + what); }
    [[nodiscard]] duration pause() const override { return settings_.options.reconnect.delay(5); }
    [[nodiscard]] duration patience() const override { return settings_.options.operation_timeout; }

    [[nodiscard]] consumer::source source_of(const std::string& queue) const;
    void take_in(const consumer_ptr& fresh);
    void repair_later();
    void declare_and_open();
    void declare(std::function<void(std::exception_ptr)> then);
    void tell_what_is_missing(const std::exception_ptr& failure);
    void open_all();
    void watch_later();
    void watch();
    void ask_for_consumers();
    void open_asking();
    void ask_next();
    void cannot_ask(const std::string& answer);
    void stop_asking() noexcept;

    boost::asio::io_context& io_;
    const connection_settings& settings_;
    topology_book& book_;
    publisher& out_;
    const clock now_;
    const log_function log_;
    link link_;
    std::atomic<bool> needed_{false};
    std::atomic<bool> ailing_{false};

    connection* connection_ = nullptr;
    std::shared_ptr<declaration> declaring_;
    std::vector<consumer_ptr> consumers_;
    std::vector<consumer_ptr> round_; // those of one round of read_done, during which some may come and go
    boost::asio::steady_timer repair_{io_};
    boost::asio::steady_timer watchdog_{io_};
    std::unique_ptr<AMQP::Channel> asking_;
    int asking_round_ = 0; // a channel each
    std::vector<consumer_ptr> to_ask_for_;
    consumer_ptr asked_for_;
    int repairs_ = 0; // in a row
    bool repairing_ = false;
    bool started_ = false;
    bool stopping_ = false;
};

} // namespace ferry::amqp

#pragma once

#include "consuming.hpp"
#include "publisher.hpp"
#include "topology_book.hpp"

#include <ferry/amqp/transport.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace ferry::amqp {

/// A transport from its start to its stop.
class engine {
public:
    engine(const connection_settings& settings, const transport_host& host);
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    ~engine();
    /// Once, before it goes: whoever is called back until then may still ask it how it is doing.
    void stop();

    void declare(const topology& wanted);
    void send(const envelope& message, send_callback on_outcome) { publisher_.send(message, std::move(on_outcome)); }
    [[nodiscard]] std::unique_ptr<subscription> consume(const std::string& queue, const consume_options& options,
                                                        delivery_sink& sink);
    [[nodiscard]] transport_health health() const;

private:
    using question = std::function<void(std::weak_ptr<void>, std::function<void(std::exception_ptr)>)>;

    /// For the answer; without a limit for ever.
    void wait_for(const question& ask, std::optional<duration> limit) const;

    connection_settings settings_;
    boost::asio::io_context& io_;
    const std::stop_token give_up_;
    topology_book book_;
    std::atomic<bool> own_declared_{false};
    publisher publisher_;
    consuming consuming_;
};

} // namespace ferry::amqp

#pragma once

#include "connection.hpp"

#include <ferry/amqp/options.hpp>
#include <ferry/topology.hpp>

#include <amqpcpp.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace ferry::amqp {

/// What a queue of ferry's is declared with.
[[nodiscard]] AMQP::Table queue_arguments(const queue_definition& queue, const transport_options& options);

/// A run of declarations on a channel of its own: the broker closes a channel when one of them fails. Tells once how it
/// ended, and nothing when it is destroyed before. Lives on the I/O thread.
class declaration final : public std::enable_shared_from_this<declaration> {
public:
    using callback = std::function<void(std::exception_ptr)>;

    declaration(connection& where, duration limit, callback done);
    declaration(const declaration&) = delete;
    declaration& operator=(const declaration&) = delete;

    /// Each asks for one thing, and says what it was when the broker refuses.
    void queue(const std::string& name, int flags, const AMQP::Table& arguments);
    void exchange(const std::string& name, AMQP::ExchangeType type, int flags, const AMQP::Table& arguments = {});
    void bind(const std::string& exchange, const address& target, const std::string& key);
    void remove_queue(const std::string& name);
    void topology(const ferry::topology& wanted, const transport_options& options);
    /// Nothing more is asked for: the callback comes when all was answered, or not in time.
    void complete();

private:
    void watch(AMQP::Deferred& asked, std::string what);
    void end(const std::exception_ptr& failure);

    AMQP::Channel channel_;
    boost::asio::steady_timer deadline_;
    callback done_;
};

} // namespace ferry::amqp

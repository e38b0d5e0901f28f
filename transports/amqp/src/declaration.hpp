#pragma once

#include "broker_plan.hpp"
#include "connection.hpp"

#include <ferry/amqp/options.hpp>
#include <ferry/topology.hpp>

#include <amqpcpp.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::amqp {

/// A run of declarations on a channel of its own: the broker closes a channel when one of them fails. The rest is then
/// asked on another, so that all that is wrong is told at once. Tells once how it ended, and nothing when it is
/// destroyed before. Lives on the I/O thread.
class declaration final : public std::enable_shared_from_this<declaration> {
public:
    using callback = std::function<void(std::exception_ptr)>;

    declaration(connection& where, duration limit, callback done);
    declaration(const declaration&) = delete;
    declaration& operator=(const declaration&) = delete;

    /// Each asks for one thing, and says what it was when the broker refuses.
    void require_queue(const std::string& name);
    void remove_queue(const std::string& name);
    void bind(const planned_binding& way);
    void plan(const broker_plan& wanted);
    void topology(const ferry::topology& wanted, const transport_options& options);
    /// Nothing more is asked for: the callback comes when all was answered, or not in time.
    void complete();

private:
    struct step {
        std::string what;
        std::function<AMQP::Deferred&(AMQP::Channel&)> ask;
        std::vector<std::string> ends = {}; ///< of a binding, which is left out when one of them is refused
    };

    void ask_from(std::size_t first);
    void watch(AMQP::Deferred& asked, int round, std::size_t number);
    void answered();
    void refused(int round, std::size_t number, std::string_view answer);
    void failed(int round, std::string_view answer);
    void end(const std::exception_ptr& failure);

    connection& connection_;
    std::vector<step> steps_;
    std::unique_ptr<AMQP::Channel> channel_;
    int round_ = 0; ///< a channel each
    std::vector<std::string> refused_;
    std::vector<std::string> refused_names_;
    bool permanent_ = false;
    boost::asio::steady_timer deadline_;
    callback done_;
};

} // namespace ferry::amqp

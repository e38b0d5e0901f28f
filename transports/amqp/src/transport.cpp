#include "broker_plan.hpp"
#include "engine.hpp"
#include "topology_check.hpp"

#include <ferry/amqp/transport.hpp>

#include <mutex>
#include <utility>

namespace ferry::amqp {

struct transport::settings : connection_settings {
    std::mutex engine_mutex; ///< for `health`, which may be asked before `start`, after `stop` and in between
};

namespace {

void require_sensible(const transport_options& options) {
    if (options.window == 0) {
        throw error{"a window of 0 lets nothing leave; let at least 1 message be on its way unconfirmed"};
    }
    if (options.max_message_size == 0) {
        throw error{"with a max_message_size of 0 only empty messages could be sent; RabbitMQ takes 16 MiB"};
    }
    if (options.tls.certificate_file.empty() && !options.tls.key_file.empty()) {
        throw error{"the TLS option key_file names the key of a certificate, and there is no certificate_file; name "
                    "both, or neither"};
    }
    if (options.heartbeat < std::chrono::seconds{0} || options.heartbeat > std::chrono::seconds{65'535}) {
        throw error{"a heartbeat is 0 to 65535 seconds long"};
    }
}

} // namespace

transport::transport(std::string_view url, transport_options options) : settings_{std::make_unique<settings>()} {
    settings_->url = broker_url::parse(url);
    settings_->options = std::move(options);
    settings_->name = settings_->url.name.value_or(settings_->options.name);
    settings_->options.name = settings_->name;
    require_sensible(settings_->options);
    if (settings_->url.connect_timeout) {
        settings_->options.connect_timeout = *settings_->url.connect_timeout;
    }
}

transport::transport(transport&& other) noexcept = default;
transport& transport::operator=(transport&& other) noexcept = default;
transport::~transport() { stop(); }

void transport::start(const transport_host& host) {
    if (engine_) {
        throw error{"the RabbitMQ transport is started already"};
    }
    auto fresh = std::make_unique<engine>(*settings_, host);
    const std::scoped_lock lock{settings_->engine_mutex};
    engine_ = std::move(fresh);
}

void transport::stop() noexcept {
    if (engine_) {
        engine_->stop();
        const std::scoped_lock lock{settings_->engine_mutex};
        engine_.reset();
    }
}

transport_health transport::health() const {
    const std::scoped_lock lock{settings_->engine_mutex};
    return engine_ ? engine_->health() : transport_health{.name = "rabbitmq", .connected = false, .last_error = {}};
}

void transport::check(const topology& wanted, std::vector<std::string>& problems) const {
    check_topology(with_own(wanted, options().topology), options(), problems);
}

broker_description transport::describe(const topology& wanted) const {
    return described(plan_with_delays(with_own(wanted, options().topology), options()));
}

void transport::declare(const topology& wanted) { running().declare(wanted); }

void transport::send(const envelope& message, send_callback on_outcome) {
    if (message.destination.empty()) {
        throw transport_error{"a message without a destination cannot be sent", false};
    }
    running().send(message, std::move(on_outcome));
}

duration transport::send_timeout() const { return options().send_timeout; }

std::unique_ptr<subscription> transport::consume(const std::string& queue, const consume_options& options,
                                                 delivery_sink& sink) {
    return running().consume(queue, options, sink);
}

const transport_options& transport::options() const noexcept { return settings_->options; }
const std::string& transport::vhost() const noexcept { return settings_->url.vhost; }

engine& transport::running() const {
    if (!engine_) {
        throw error{"the RabbitMQ transport is not started"};
    }
    return *engine_;
}

} // namespace ferry::amqp

#include "engine.hpp"

#include <ferry/memory/transport.hpp>

#include <utility>

namespace ferry::memory {

namespace {

constexpr const char* no_broker =
    "the memory transport was given no broker; share one, or leave it out to have one of its own";

class queue_subscription final : public subscription {
public:
    explicit queue_subscription(std::unique_ptr<consumer> owned) : consumer_{owned.release()} {
        source().subscribe(*consumer_);
    }
    ~queue_subscription() override {
        source().unsubscribe(*consumer_);
        consumer_->let_go();
    }

    void pause() override { source().pause(*consumer_); }
    void resume() override { source().resume(*consumer_); }
    void resume_for_one() override { source().resume_for_one(*consumer_); }

private:
    [[nodiscard]] queue& source() const { return *consumer_->source(); }

    consumer* consumer_; // deletes itself when its last delivery is settled
};

} // namespace

transport::transport() : transport{broker_options{}} {}
transport::transport(const broker_options& options) : options_{options} {}
transport::transport(std::shared_ptr<memory::broker> shared) : own_broker_{false}, broker_{std::move(shared)} {}
transport::transport(transport&& other) noexcept = default;
transport::~transport() { stop(); }

transport& transport::operator=(transport&& other) noexcept {
    stop();
    options_ = other.options_;
    own_broker_ = other.own_broker_;
    broker_ = std::move(other.broker_);
    session_ = std::move(other.session_);
    started_.swap(other.started_);
    std::swap(log_, other.log_);
    return *this;
}

void transport::start(const transport_host& host) {
    if (session_) {
        throw error{"the memory transport is started already"};
    }
    if (own_broker_) {
        broker_ = std::make_shared<memory::broker>(options_, host.now);
    }
    if (!broker_) {
        throw error{no_broker};
    }
    session_ = std::make_shared<session>();
    log_ = host.log;
    *started_ = true;
}

void transport::stop() noexcept {
    if (!session_) {
        return;
    }
    *started_ = false;
    broker_->engine_->release(*session_);
    session_->await_sends();
    session_.reset();
    if (own_broker_) {
        tell_of_leftovers();
        broker_.reset();
    }
}

void transport::tell_of_leftovers() const {
    if (const std::string left = broker_->engine_->leftovers(); log_ && !left.empty()) {
        log_(log_level::warning, "memory: messages end with this transport: " + left);
    }
}

transport_health transport::health() const {
    return {.name = std::string{name()}, .connected = *started_, .last_error = {}};
}

void transport::check(const topology& /*wanted*/, std::vector<std::string>& problems) const {
    if (own_broker_) {
        memory::check(options_, problems);
    } else if (!broker_) {
        problems.emplace_back(no_broker);
    }
}

void transport::declare(const topology& wanted) { running().declare(wanted, *session_); }

void transport::send(const envelope& message, send_callback on_outcome) {
    if (message.destination.empty()) {
        throw transport_error{"a message without a destination cannot be sent", false};
    }
    running().send(message, std::move(on_outcome), session_);
}

duration transport::send_timeout() const {
    return own_broker_ || !broker_ ? options_.send_timeout : broker_->engine_->send_timeout();
}

std::unique_ptr<subscription> transport::consume(const std::string& queue, const consume_options& options,
                                                 delivery_sink& sink) {
    auto source = running().get(queue);
    auto joining = std::make_unique<consumer>(std::move(source), options, sink, *session_);
    return std::make_unique<queue_subscription>(std::move(joining));
}

engine& transport::running() const {
    if (!session_) {
        throw error{"the memory transport is not started"};
    }
    return *broker_->engine_;
}

} // namespace ferry::memory

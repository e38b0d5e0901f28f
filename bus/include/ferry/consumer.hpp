#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/handler.hpp>
#include <ferry/pipeline.hpp>
#include <ferry/settings.hpp>

#include <memory>
#include <utility>

namespace ferry {

/// How messages come to a handler: as copies of what is published, or from the one queue they are sent to.
enum class consumer_role : unsigned char { subscriber, server };

/// A handler with its name and its own sealed pipeline.
class consumer {
public:
    consumer(consumer_settings settings, consumer_role role, std::shared_ptr<const message_handler> handler,
             pipeline<consume_context> stages)
        : settings_{std::move(settings)}, role_{role}, handler_{std::move(handler)}, stages_{std::move(stages)} {}

    [[nodiscard]] const std::string& name() const noexcept { return settings_.name; }
    [[nodiscard]] const consumer_settings& settings() const noexcept { return settings_; }
    [[nodiscard]] consumer_role role() const noexcept { return role_; }
    [[nodiscard]] const message_handler& handler() const noexcept { return *handler_; }
    [[nodiscard]] const message_type& message() const noexcept { return handler_->message(); }
    [[nodiscard]] const pipeline<consume_context>& stages() const noexcept { return stages_; }

private:
    consumer_settings settings_;
    consumer_role role_;
    std::shared_ptr<const message_handler> handler_;
    pipeline<consume_context> stages_;
};

/// One consumer at one slot: the memory it needs for a message, kept from one to the next.
class consumer_run {
public:
    consumer_run(const ferry::consumer& consumer, dispatcher& bus)
        : consumer_{consumer}, box_{consumer.handler().make_box()}, context_{consumer, bus} {}

    [[nodiscard]] const ferry::consumer& consumer() const noexcept { return consumer_; }
    [[nodiscard]] consume_context& context() noexcept { return context_; }

    /// Reads the body into this consumer's message. Throws decode_error.
    void decode(receive_context& message);
    /// Takes the decoded message through the consumer's pipeline to its handler. What that has collected is gone then,
    /// sent or not: a slot without work keeps none of it.
    void run();

private:
    const ferry::consumer& consumer_;
    std::unique_ptr<message_box> box_;
    consume_context context_;
};

} // namespace ferry

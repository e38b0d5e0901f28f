#pragma once

#include <ferry/envelope.hpp>
#include <ferry/features.hpp>
#include <ferry/message.hpp>
#include <ferry/transport.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace ferry {

struct message_route;

/// The messages a handler has published, sent or replied with, until its success lets them leave. Reused from message
/// to message together with their memory.
class collected_messages {
public:
    /// Takes the content of `message` and leaves it empty memory in exchange.
    void collect(envelope& message);
    void clear() noexcept { size_ = 0; }
    /// Forgets all but the first `count`.
    void keep_first(std::size_t count) noexcept { size_ = count; }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::span<envelope> all() noexcept { return {messages_.data(), size_}; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

private:
    std::vector<envelope> messages_; // the first `size_` are live
    std::size_t size_ = 0;
};

/// One message on its way out, as the dispatch pipeline sees it.
class dispatch_context {
public:
    dispatch_context() = default;
    dispatch_context(const dispatch_context&) = delete;
    dispatch_context& operator=(const dispatch_context&) = delete;
    ~dispatch_context() = default;

    /// Complete but for the body, which the serialization stage writes.
    ferry::envelope envelope;
    message_ref message;
    /// Where the message waits for its handler's success; nullptr when it leaves at once.
    collected_messages* collector = nullptr;
    /// Told once what became of the message. A collected message takes nobody's callback.
    send_callback on_outcome;
    /// The dispatcher's memory of where this type goes; saves looking it up for each message.
    message_route* route = nullptr;

    [[nodiscard]] feature_set& features() noexcept { return features_; }
    void clear() noexcept;

private:
    feature_set features_;
};

} // namespace ferry

#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/error.hpp>
#include <ferry/message.hpp>
#include <ferry/request.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace ferry {

/// A handler took longer than its consumer allows. What it threw when it was told to stop, if anything, is nested in
/// it.
class handler_timeout : public error {
public:
    explicit handler_timeout(const std::string& text) : error{text, true} {}
};

namespace detail {

template <typename Result> struct awaited {
    using type = Result;
    static constexpr bool is_awaitable = false;
};
template <typename Result, typename Executor> struct awaited<boost::asio::awaitable<Result, Executor>> {
    using type = Result;
    static constexpr bool is_awaitable = true;
};

template <typename Handler, typename Message>
concept takes_context = std::invocable<const Handler&, const Message&, consume_context&>;
template <typename Handler, typename Message>
concept takes_message = std::invocable<const Handler&, const Message&>;

template <typename Handler, typename Message>
auto call(const Handler& handler, const Message& message, consume_context& context) {
    if constexpr (takes_context<Handler, Message>) {
        return std::invoke(handler, message, context);
    } else {
        return std::invoke(handler, message);
    }
}

/// Runs a coroutine handler to its end on the calling slot, whatever it awaits; rethrows what it threw.
void run_to_end(boost::asio::awaitable<void> handler);

template <typename Reply>
boost::asio::awaitable<void> keep_reply(boost::asio::awaitable<Reply> handler, std::optional<Reply>& reply) {
    reply.emplace(co_await std::move(handler));
}

} // namespace detail

/// A handler of `Message`: callable as `(const Message&)` or `(const Message&, consume_context&)`, returning nothing, a
/// reply, or an Asio awaitable of either. Slots call it at the same time, so it is called as const.
template <typename Handler, typename Message>
concept handler_of = detail::takes_context<Handler, Message> || detail::takes_message<Handler, Message>;

/// What a handler answers with; void for one that returns nothing.
template <typename Handler, typename Message> using reply_of = typename detail::awaited<decltype(detail::call(
    std::declval<const Handler&>(), std::declval<const Message&>(), std::declval<consume_context&>()))>::type;

/// Memory for one decoded message, kept by a slot from message to message.
class message_box {
public:
    message_box() = default;
    message_box(const message_box&) = delete;
    message_box& operator=(const message_box&) = delete;
    virtual ~message_box() = default;
    [[nodiscard]] virtual void* object() noexcept = 0;
};

/// A user's handler behind one interface, whatever its shape.
class message_handler {
public:
    message_handler() = default;
    message_handler(const message_handler&) = delete;
    message_handler& operator=(const message_handler&) = delete;
    virtual ~message_handler() = default;

    [[nodiscard]] virtual const message_type& message() const noexcept = 0;
    /// The type it answers with, or nullptr.
    [[nodiscard]] virtual const message_type* reply() const noexcept = 0;
    [[nodiscard]] virtual std::unique_ptr<message_box> make_box() const = 0;
    /// Calls the handler with the context's message; what it returns becomes the reply.
    virtual void handle(consume_context& context) const = 0;
};

template <typename Message, typename Handler> class typed_handler final : public message_handler {
    using reply_type = reply_of<Handler, Message>;
    static constexpr bool replies = !std::is_void_v<reply_type>;

public:
    explicit typed_handler(Handler handler) : handler_{std::move(handler)} {}

    [[nodiscard]] const message_type& message() const noexcept override { return message_type::of<Message>(); }
    [[nodiscard]] const message_type* reply() const noexcept override {
        if constexpr (replies) {
            return &message_type::of<reply_type>();
        } else {
            return nullptr;
        }
    }
    [[nodiscard]] std::unique_ptr<message_box> make_box() const override { return std::make_unique<box>(); }

    void handle(consume_context& context) const override {
        const auto& message = *static_cast<const Message*>(context.message());
        if constexpr (replies) {
            answer(context, invoke(message, context));
        } else {
            invoke(message, context);
            context.acknowledge_request();
        }
    }

private:
    class box final : public message_box {
    public:
        void* object() noexcept override { return &message_; }

    private:
        Message message_{};
    };

    reply_type invoke(const Message& message, consume_context& context) const {
        using result = decltype(detail::call(handler_, message, context));
        if constexpr (!detail::awaited<result>::is_awaitable) {
            return detail::call(handler_, message, context);
        } else if constexpr (!replies) {
            detail::run_to_end(detail::call(handler_, message, context));
        } else {
            std::optional<reply_type> reply;
            detail::run_to_end(detail::keep_reply(detail::call(handler_, message, context), reply));
            return *std::move(reply);
        }
    }

    // A message that was only sent has nobody waiting for what the handler returns.
    static void answer(consume_context& context, const auto& reply) {
        if (context.wants_reply()) {
            context.reply(reply);
        }
    }

    Handler handler_;
};

} // namespace ferry

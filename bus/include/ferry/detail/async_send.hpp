#pragma once

#include <ferry/address.hpp>
#include <ferry/detail/completion.hpp>
#include <ferry/envelope.hpp>
#include <ferry/message.hpp>

#include <boost/asio/system_executor.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <atomic>
#include <concepts>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace ferry::detail {

/// A send whose caller goes on meanwhile: all of it in one piece of memory, from its beginning until its caller has
/// been told, since it begins on one thread and ends on another.
class async_send : public boost::intrusive_ref_counter<async_send> {
public:
    async_send() = default;
    async_send(const async_send&) = delete;
    async_send& operator=(const async_send&) = delete;
    virtual ~async_send() = default;

    /// What an error must name when the broker has no place for the message. `usual` is where messages of its type go,
    /// and outlives this.
    void is_about(const envelope& message, const message_type& type, const address& usual) {
        kind_ = message.kind;
        type_ = &type;
        usual_destination_ = &usual;
        if (message.destination != usual) {
            other_destination_ = message.destination;
        }
    }
    [[nodiscard]] message_kind kind() const noexcept { return kind_; }
    [[nodiscard]] const message_type& type() const noexcept { return *type_; }
    [[nodiscard]] const address& destination() const noexcept {
        return other_destination_ ? *other_destination_ : *usual_destination_;
    }

    /// Tells the caller how it ended; the first to say so counts.
    void end(std::exception_ptr failure) {
        if (!ended_.exchange(true)) {
            tell(std::move(failure));
        }
    }

private:
    virtual void tell(std::exception_ptr failure) = 0;

    std::atomic<bool> ended_{false};
    message_kind kind_ = message_kind::publish;
    const message_type* type_ = nullptr;
    const address* usual_destination_ = nullptr;
    std::optional<address> other_destination_;
};

using async_send_ptr = boost::intrusive_ptr<async_send>;

/// One that is told by a call right away.
class called_send final : public async_send {
public:
    explicit called_send(std::move_only_function<void(std::exception_ptr)> call) : call_{std::move(call)} {}

private:
    void tell(std::exception_ptr failure) override { call_(std::move(failure)); }

    std::move_only_function<void(std::exception_ptr)> call_;
};

/// Whether an Asio handler says itself where it wants to be called.
template <typename Handler>
concept has_executor = !(std::same_as<boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>,
                                      boost::asio::any_io_executor> &&
                         std::same_as<boost::asio::associated_executor_t<Handler, boost::asio::system_executor>,
                                      boost::asio::system_executor>);

/// One whose Asio handler is called on its own executor, or by the bus.
template <typename Handler> class posted_send final : public async_send {
public:
    posted_send(Handler handler, completions& /*fallback*/)
        requires has_executor<Handler>
        : completion_{std::move(handler), boost::asio::any_io_executor{}} {}

private:
    void tell(std::exception_ptr failure) override { completion_(std::move(failure)); }

    posted_completion<Handler> completion_;
};

template <typename Handler>
    requires(!has_executor<Handler>)
class posted_send<Handler> final : public async_send {
public:
    posted_send(Handler handler, completions& where) : handler_{std::move(handler)}, where_{where} {
        where_.begin_operation();
    }

private:
    void tell(std::exception_ptr failure) override {
        failure_ = std::move(failure);
        where_.end_operation(
            [self = boost::intrusive_ptr{this}] { std::move(self->handler_)(std::move(self->failure_)); });
    }

    Handler handler_;
    completions& where_;
    std::exception_ptr failure_;
};

} // namespace ferry::detail

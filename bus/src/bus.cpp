#include "bus_core.hpp"

#include <ferry/bus.hpp>

namespace ferry {

bus::bus(std::unique_ptr<bus_core> core) noexcept : core_{std::move(core)} {}
bus::bus(bus&&) noexcept = default;
bus& bus::operator=(bus&&) noexcept = default;
bus::~bus() = default;

void bus::start() { core_->start(); }
stop_report bus::run() { return core_->run(); }
stop_report bus::stop() { return core_->stop(); }

const ferry::topology& bus::topology() const noexcept { return core_->wanted(); }
const ferry::transport& bus::transport() const noexcept { return core_->carrier(); }

bus_counts bus::counts() const noexcept { return core_->counters().read(); }
std::size_t bus::pending_requests() const { return core_->replies()->size(); }

schedule_token bus::schedule(message_kind kind, message_ref message, time_point at, const dispatch_options& options) {
    const schedule_token token = core_->dispatcher().next_token();
    core_->dispatcher().dispatch_and_wait(
        {.kind = kind, .message = message, .options = options, .token = &token, .at = at});
    return token;
}

schedule_token bus::schedule(message_kind kind, message_ref message, duration delay, const dispatch_options& options) {
    return schedule(kind, message, later(core_->now()(), delay), options);
}

bool bus::cancel(const schedule_token& token) {
    if (core_->persistence() == nullptr) {
        return core_->schedule().cancel(token);
    }
    const auto inside = core_->dispatcher().to_the_store();
    return core_->schedule().cancel(token);
}

void bus::dispatch(message_kind kind, message_ref message, const dispatch_options& options) {
    core_->dispatcher().dispatch_and_wait({.kind = kind, .message = message, .options = options});
}

void bus::request_and_read(message_ref message, const request_options& options,
                           std::move_only_function<void(const envelope&)> read) {
    core_->dispatcher().request_and_wait(
        {.kind = message_kind::request, .message = message, .options = options.dispatch}, options.timeout,
        std::move(read));
}

void bus::start_dispatch(bus_core& core, message_kind kind, message_ref message, const dispatch_options& options,
                         const detail::async_send_ptr& sending) {
    core.dispatcher().dispatch({.kind = kind, .message = message, .options = options}, sending);
}

void bus::start_request(bus_core& core, message_ref message, const request_options& options, const uuid& id,
                        reply_callback on_reply) {
    core.dispatcher().request({.kind = message_kind::request, .message = message, .options = options.dispatch}, id,
                              options.timeout, std::move(on_reply));
}

uuid bus::next_request_id(bus_core& core) { return core.dispatcher().next_id(); }

std::function<void()> bus::canceller(bus_core& core, const uuid& id) {
    return [replies = std::weak_ptr{core.replies()}, id] {
        if (const auto table = replies.lock()) {
            table->fail(id, std::make_exception_ptr(request_cancelled{id}));
        }
    };
}

boost::asio::any_io_executor bus::completion_executor(bus_core& core) { return core.completions().executor(); }

detail::completions& bus::completions_of(bus_core& core) { return core.completions(); }

} // namespace ferry

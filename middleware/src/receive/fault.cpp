#include <ferry/exception_summary.hpp>
#include <ferry/middleware/receive/fault.hpp>
#include <ferry/request.hpp>
#include <ferry/settings.hpp>

#include <format>

namespace ferry::middleware {

namespace {

bool asks_for_reply(const envelope& message) {
    return message.kind == message_kind::request && !message.response.empty();
}

void mark(envelope& message, const exception_summary& cause, const endpoint_settings& endpoint, time_point now) {
    message.kind = message_kind::fault;
    message.headers.set("fault-exception-type", cause.type);
    message.headers.set("fault-message", cause.text);
    message.headers.set("fault-timestamp",
                        std::format("{:%FT%TZ}", std::chrono::floor<std::chrono::milliseconds>(now)));
    message.headers.set("fault-endpoint", endpoint.name);
    message.destination.assign(address::kind_type::queue, endpoint.error_queue);
}

} // namespace

void fault::operator()(receive_context& message, next<receive_context> next) const {
    std::exception_ptr thrown;
    try {
        next(message);
    } catch (...) {
        thrown = std::current_exception();
    }
    if (thrown) {
        end(message, thrown); // outside the handler, so that a failure in here is not nested in the first
    }
}

void fault::end(receive_context& message, const std::exception_ptr& thrown) const {
    const exception_summary cause = summary_of(thrown);
    const endpoint_settings& endpoint = message.endpoint();
    envelope& failed = message.envelope();
    if (asks_for_reply(failed)) {
        const request_failed reply{cause.type, cause.text};
        bus_->dispatch_and_wait({.kind = message_kind::reply,
                                 .message = message_ref{reply},
                                 .options = dispatch_options{},
                                 .cause = &failed,
                                 .source = &endpoint.address});
    } else {
        mark(failed, cause, endpoint, now_());
        bus_->send_now(failed);
        (*log_)(log_level::error, endpoint.name + ": " + failed.message_type + " " + failed.message_id.to_string() +
                                      " went to " + endpoint.error_queue + ": " + cause.type + ": " + cause.text);
    }
    message.settle(settlement::dead_lettered);
}

} // namespace ferry::middleware

#include <ferry/error.hpp>
#include <ferry/middleware/dispatch/outbox.hpp>

#include <string>

namespace ferry::middleware {

std::optional<outbox> outbox::from(const stage_ports& ports) {
    const bool wanted = ports.persistence != nullptr && ports.persistence->options.outbox;
    return wanted ? std::optional<outbox>{std::in_place, ports.persistence->options, ports.persistence->outbox}
                  : std::nullopt;
}

void outbox::operator()(dispatch_context& message, next<dispatch_context> next) const {
    if (message.immediate || message.envelope.kind == message_kind::request) {
        return next(message);
    }
    check(message.envelope);
    if (message.scheduled) {
        return next(message); // the next stage keeps it, in the same store
    }
    if (message.collector != nullptr) {
        return message.collector->collect(message.envelope);
    }
    writer_->write(message.envelope);
}

void outbox::check(const envelope& message) const {
    if (message.body.size() > options_->largest_body) {
        throw error{message.message_type + " has a body of " + std::to_string(message.body.size()) +
                    " bytes, and the outbox takes " + std::to_string(options_->largest_body) +
                    " at most; send a reference to where the bytes are, or raise largest_body"};
    }
    if (options_->tenant_required && message.tenant.empty()) {
        throw error{message.message_type +
                    " has no tenant, and this bus requires one; set it in the options of the call"};
    }
}

} // namespace ferry::middleware

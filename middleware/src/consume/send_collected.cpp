#include <ferry/middleware/consume/send_collected.hpp>

namespace ferry::middleware {

std::optional<send_collected> send_collected::from(const stage_ports& ports) {
    const bool stored = ports.persistence != nullptr && ports.persistence->options.outbox;
    return stored ? std::nullopt : std::optional<send_collected>{std::in_place, ports.bus, ports.scheduler};
}

void send_collected::operator()(consume_context& message, next<consume_context> next) const {
    next(message);
    if (!message.collected().all().empty()) {
        sender_->send_now(message.collected().all(), message.observed());
    }
    if (message.work() == nullptr && !message.collected().scheduled().empty()) { // or it is kept with the commit
        scheduler_->keep(message.collected().scheduled());
    }
}

} // namespace ferry::middleware

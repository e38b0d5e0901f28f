#include <ferry/consumer.hpp>
#include <ferry/header_names.hpp>
#include <ferry/receive_context.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ferry {

std::string_view to_string(settlement outcome) noexcept {
    static constexpr std::array<std::string_view, 8> names{"handled",   "skipped",     "dead-lettered", "expired",
                                                           "discarded", "redelivered", "returned",      "rejected"};
    return names[static_cast<std::size_t>(outcome)];
}

verdict verdict_of(settlement outcome) noexcept {
    switch (outcome) {
    case settlement::returned:
        return verdict::requeue;
    case settlement::rejected:
        return verdict::reject;
    default:
        return verdict::accept;
    }
}

namespace {

bool can_be_read_as(const envelope& message, const message_type& type) {
    return message.message_type == type.urn || std::ranges::contains(message.enclosed_types, type.urn);
}

/// A message that comes again after a consumer failed is for that one; the others have done their work.
bool is_meant(const envelope& message, const consumer& candidate) {
    const std::string_view target = message.headers.text(header_names::target_consumer);
    return target.empty() || target == candidate.name();
}

} // namespace

bool receive_context::is_for(const ferry::consumer& candidate) const {
    return can_be_read_as(envelope_, candidate.message()) && is_meant(envelope_, candidate);
}

receive_context::receive_context(const endpoint_settings& endpoint, std::vector<consumer_run*> consumers,
                                 std::stop_token stopping)
    : endpoint_{endpoint}, consumers_{std::move(consumers)}, stopping_{std::move(stopping)} {}

void receive_context::open(const delivery& taken) {
    features_.clear();
    targets_.clear();
    failures_.clear();
    damage_ = nullptr;
    group_ = nullptr;
    settled_.reset();
    earlier_deliveries_ = taken.earlier_deliveries();
    try {
        taken.content().unpack(envelope_);
    } catch (const envelope_error&) {
        damage_ = std::current_exception();
        envelope_.clear();
        envelope_.body.assign(taken.content().bytes());
    }
}

} // namespace ferry

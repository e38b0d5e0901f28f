#include "fuzz_envelope.hpp"
#include "fuzz_target.hpp"
#include "properties.hpp"

namespace ferry::fuzz {
namespace {

constexpr amqp::message_origin origin{.exchange = "", .routing_key = "billing"};

/// Where a message comes from that went straight to its destination.
amqp::message_origin origin_of(const envelope& message) {
    const address& to = message.destination;
    return to.kind == address::kind_type::exchange ? amqp::message_origin{.exchange = to.name, .routing_key = ""}
                                                   : amqp::message_origin{.exchange = "", .routing_key = to.name};
}

void check(std::string_view properties, const envelope& read) {
    envelope over = used_envelope();
    (void)amqp::read_properties(properties, origin, over);
    require_same(read, over, "what was read depends on what the envelope held before");

    buffer written;
    amqp::write_properties(read, written);
    envelope again;
    (void)amqp::read_properties(written.view(), origin_of(read), again);
    require_same(read, again, "what was read does not come back when it is written and read");
}

} // namespace
} // namespace ferry::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view properties = ferry::fuzz::as_text(data, size);
    ferry::envelope read;
    try {
        (void)ferry::amqp::read_properties(properties, ferry::fuzz::origin, read);
    } catch (const ferry::envelope_error&) {
        return 0;
    }
    ferry::fuzz::check(properties, read);
    return 0;
}

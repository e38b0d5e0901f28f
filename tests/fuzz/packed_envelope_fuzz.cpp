#include "fuzz_envelope.hpp"
#include "fuzz_target.hpp"

#include <ferry/packed_envelope.hpp>

namespace ferry::fuzz {
namespace {

void check(const packed_envelope& bytes, const envelope& read) {
    envelope over = used_envelope();
    bytes.unpack(over);
    require_same(read, over, "what was read depends on what the envelope held before");

    envelope again;
    packed_envelope{read}.unpack(again);
    require_same(read, again, "what was read does not come back when it is packed and unpacked");
}

} // namespace
} // namespace ferry::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = ferry::packed_envelope::from_bytes(ferry::fuzz::as_text(data, size));
    ferry::envelope read;
    try {
        bytes.unpack(read);
    } catch (const ferry::envelope_error&) {
        return 0;
    }
    ferry::fuzz::check(bytes, read);
    return 0;
}

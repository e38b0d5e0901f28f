#include "fuzz_target.hpp"
#include "rich_message.hpp"

#include <ferry/json/json_codec.hpp>

namespace ferry::fuzz {
namespace {

const json_codec<rich_message> codec;

/// A message as an earlier body may have left it: memory to be reused, and nothing of it to be seen again.
rich_message used_message() {
    rich_message used;
    used.text = "left over";
    used.number.fine = 17;
    used.root.parts = {{"wheel", 4, {{"spoke", 36}}}, {"frame"}};
    used.perhaps = part{"bell"};
    used.bits = {false, true, false};
    used.rows = {{"a", "b"}, {"c"}};
    used.chosen = {1, 2};
    used.by_name["front"] = used.root.parts;
    used.by_number[3] = 0.5;
    used.choice = used.root.parts[0];
    return used;
}

void check(const buffer& body, const rich_message& read) {
    rich_message over = used_message();
    codec.decode(body, &over);
    require(over == read, "what was read depends on what the message held before");

    buffer written;
    codec.encode(&read, written);
    rich_message again;
    codec.decode(written, &again);
    require(again == read, "what was read does not come back when it is written and read");
}

} // namespace
} // namespace ferry::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ferry::buffer body{ferry::fuzz::as_text(data, size)};
    ferry::fuzz::rich_message read;
    try {
        ferry::fuzz::codec.decode(body, &read);
    } catch (const ferry::decode_error&) {
        return 0;
    }
    ferry::fuzz::check(body, read);
    return 0;
}

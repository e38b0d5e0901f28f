#include "json_reader_state.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <bit>

namespace ferry {

namespace {

// A body beyond this is rare, and its scratch memory is several times as large: it gets its own instead of keeping it.
constexpr std::size_t largest_kept = 256 * 1024;
constexpr std::size_t smallest_parser = 4 * 1024;

/// Puts an escape that no reader accepts where the UTF-8 goes wrong, and question marks for what is bad behind it.
void mark_bad_utf8(std::string_view text, buffer& out) {
    for (bool first = true; !text.empty(); first = false) {
        const std::size_t good = valid_utf8_prefix(text);
        out.append(text.substr(0, good));
        text.remove_prefix(good);
        if (!text.empty()) {
            out.append(first ? "\\!" : "?");
            text.remove_prefix(1);
        }
    }
}

simdjson::padded_string_view padded(const buffer& body) noexcept {
    return simdjson::padded_string_view{body.data(), body.size(), body.size() + buffer::padding};
}

} // namespace

static_assert(buffer::padding >= simdjson::SIMDJSON_PADDING);

json_reader::json_reader(const buffer& body, const json_policy& policy) : policy_{policy} {
    thread_local state kept;
    if (kept.busy || body.size() > largest_kept) {
        own_ = std::make_unique<state>();
    }
    state_ = own_ ? own_.get() : &kept;
    state_->busy = true;
    try {
        open(body);
    } catch (...) {
        state_->busy = false;
        throw;
    }
}

json_reader::~json_reader() { state_->busy = false; }

// Which string has the bad byte, simdjson does not say. So the body is read once more with a mark at that place, and
// the reader names the place when it runs into it.
void json_reader::open(const buffer& body) {
    state& s = *state_;
    s.levels.clear();
    s.repaired.clear();
    s.body = nullptr;
    if (body.size() > policy_.max_size) {
        s.fail("the body has " + std::to_string(body.size()) + " bytes, more than the limit of " +
               std::to_string(policy_.max_size));
    }
    if (body.empty()) {
        s.fail_malformed(simdjson::EMPTY);
    }
    if (s.parser.capacity() < body.size()) {
        s.check(s.parser.allocate(std::bit_ceil(std::max(body.size(), smallest_parser))));
    }
    auto problem = s.parser.iterate(padded(body)).get(s.document);
    if (problem == simdjson::UTF8_ERROR) {
        mark_bad_utf8(body.view(), s.repaired);
        problem = s.parser.iterate(padded(s.repaired)).get(s.document);
    }
    s.check(problem);
    problem = s.document.get_value().get(s.value);
    if (problem == simdjson::SCALAR_DOCUMENT_AS_VALUE) {
        s.fail("expected an object, found a single value");
    }
    s.check(problem);
    s.body = body.data();
}

void json_reader::finish() {
    if (!state_->repaired.empty()) {
        state_->fail_malformed(simdjson::UTF8_ERROR);
    }
    if (!state_->document.at_end()) {
        state_->fail("there is something behind the end of the JSON document");
    }
}

void json_reader::fail(const std::string& reason) const { state_->fail(reason); }

} // namespace ferry

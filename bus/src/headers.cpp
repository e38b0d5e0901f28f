#include <ferry/error.hpp>
#include <ferry/headers.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace ferry {

headers::headers(std::initializer_list<header> entries) {
    for (const header& each : entries) {
        set(each.name, each.value);
    }
}

headers::headers(const headers& other) : entries_(other.begin(), other.end()), size_{other.size_} {}

headers::headers(headers&& other) noexcept : entries_{std::move(other.entries_)}, size_{std::exchange(other.size_, 0)} {
    other.entries_.clear();
}

headers& headers::operator=(const headers& other) {
    if (this == &other) {
        return *this;
    }
    clear();
    for (const header& each : other) {
        append() = each;
    }
    return *this;
}

headers& headers::operator=(headers&& other) noexcept {
    // Swapping leaves our memory with the other side, which is usually about to be reused as well.
    std::swap(entries_, other.entries_);
    std::swap(size_, other.size_);
    other.clear();
    return *this;
}

headers::~headers() = default;

void headers::set(std::string_view name, header_value value) {
    if (header* known = entry(name)) {
        known->value = std::move(value);
        return;
    }
    header& added = append();
    added.name.assign(name);
    added.value = std::move(value);
}

void headers::set_text(std::string_view name, std::string_view text) {
    header* target = entry(name);
    if (target == nullptr) {
        target = &append();
        target->name.assign(name);
    }
    target->value.assign_text(text);
}

void headers::erase(std::string_view name) {
    if (header* gone = entry(name)) {
        std::rotate(gone, gone + 1, entries_.data() + size_);
        --size_;
    }
}

const header_value* headers::find(std::string_view name) const noexcept {
    const auto found = std::find_if(begin(), end(), [&](const header& each) { return each.name == name; });
    return found == end() ? nullptr : &found->value;
}

std::string_view headers::text(std::string_view name) const noexcept {
    const header_value* value = find(name);
    const auto* text = value == nullptr ? nullptr : value->as<std::string>();
    return text == nullptr ? std::string_view{} : std::string_view{*text};
}

const header* headers::begin() const noexcept { return entries_.data(); }
const header* headers::end() const noexcept { return entries_.data() + size_; }

header& headers::append() {
    if (size_ == entries_.size()) {
        entries_.emplace_back();
    }
    return entries_[size_++];
}

header* headers::entry(std::string_view name) noexcept {
    header* const last = entries_.data() + size_;
    header* const found = std::find_if(entries_.data(), last, [&](const header& each) { return each.name == name; });
    return found == last ? nullptr : found;
}

bool operator==(const headers& a, const headers& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

void header_value::refuse_beyond(std::uint64_t value) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (std::cmp_greater(value, most)) {
        throw error{"a header holds whole numbers up to " + std::to_string(most) + ", not " + std::to_string(value) +
                    "; set it as a text or as a double"};
    }
}

void header_value::assign_text(std::string_view text) {
    if (auto* own = std::get_if<std::string>(&value_)) {
        own->assign(text);
    } else {
        value_.emplace<std::string>(text);
    }
}

} // namespace ferry

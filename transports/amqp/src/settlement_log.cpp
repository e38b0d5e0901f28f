#include "settlement_log.hpp"

#include <algorithm>

namespace ferry::amqp {

void settlement_log::delivered(std::uint64_t tag) { entries_.push_back({.tag = tag}); }

void settlement_log::settled(std::uint64_t tag, verdict outcome) noexcept {
    const auto found = std::ranges::lower_bound(entries_, tag, {}, &entry::tag);
    if (found == entries_.end() || found->tag != tag || found->state != progress::out) {
        return;
    }
    found->outcome = outcome;
    found->state = progress::settled;
    ++untold_;
}

void settlement_log::take(std::vector<instruction>& out) {
    tell_what_is_complete(out);
    tell_one_by_one(out);
    forget_told();
}

void settlement_log::clear() noexcept {
    entries_.clear();
    first_ = untold_ = told_ = 0;
}

// Everything below the lowest unfinished delivery. What goes back is told first, so that the accept cannot cover it.
void settlement_log::tell_what_is_complete(std::vector<instruction>& out) {
    std::uint64_t highest = 0;
    std::size_t accepted = 0;
    for (; first_ < entries_.size() && entries_[first_].state != progress::out; ++first_) {
        entry& each = entries_[first_];
        if (each.state == progress::told) {
            continue;
        }
        if (each.outcome != verdict::accept) {
            tell(each, out);
            continue;
        }
        mark_told(each);
        highest = each.tag;
        ++accepted;
    }
    if (accepted > 0) {
        out.push_back({.tag = highest, .outcome = verdict::accept, .multiple = accepted > 1});
    }
}

void settlement_log::tell_one_by_one(std::vector<instruction>& out) {
    for (std::size_t i = first_; untold_ > 0; ++i) {
        if (entries_[i].state == progress::settled) {
            tell(entries_[i], out);
        }
    }
}

void settlement_log::tell(entry& which, std::vector<instruction>& out) {
    out.push_back({.tag = which.tag, .outcome = which.outcome, .multiple = false});
    mark_told(which);
}

void settlement_log::mark_told(entry& which) noexcept {
    which.state = progress::told;
    --untold_;
    ++told_;
}

// One delivery may be out for hours while thousands above it come and go: these must not pile up behind it.
void settlement_log::forget_told() noexcept {
    if (told_ * 2 >= entries_.size()) {
        std::erase_if(entries_, [](const entry& each) { return each.state == progress::told; });
        first_ = told_ = 0;
    }
}

} // namespace ferry::amqp

#include <ferry/exception_policy.hpp>

#include <algorithm>

namespace ferry {

namespace {

/// Whether everything `narrow` is for would also be caught as the type of `wide`.
bool covers(const exception_rule& wide, const exception_rule& narrow) {
    return wide.is_for_all_others() || (!narrow.is_for_all_others() && wide.catches(narrow.throw_pointer));
}

bool same_type(const exception_rule& one, const exception_rule& other) {
    return covers(one, other) && covers(other, one);
}

/// How many types among the rules are bases of this one's: the more, the more derived it is.
std::ptrdiff_t depth(const exception_rule& rule, const std::vector<exception_rule>& all) {
    return std::ranges::count_if(
        all, [&](const exception_rule& other) { return covers(other, rule) && !covers(rule, other); });
}

/// When a round of tries is over that begins at that moment, as far as its waits go.
time_point after_waits(const std::optional<delay_schedule>& schedule, time_point begin) {
    for (int i = 1; schedule && i <= schedule->attempts; ++i) {
        begin = later(begin, schedule->delay(i, 1));
    }
    return begin;
}

} // namespace

std::string exception_rule::text() const {
    std::string said = exception + (conditional ? " (conditional): " : ": ");
    if (retries) {
        said += "retry " + retries->text() + ", then ";
    }
    if (redeliveries) {
        said += "redeliver " + redeliveries->text() + ", then ";
    }
    return said + (then == last_resort::discard ? "discard" : "dead letter");
}

exception_rule& after_redelivery::rule() const { return policy_->rules_[rule_]; }

delay_schedule after_retry::redelivery_schedule(int times, duration base_delay) {
    delay_schedule schedule;
    schedule.attempts = times;
    schedule.base_delay = base_delay;
    schedule.max_delay = std::max<duration>(base_delay, std::chrono::hours{1});
    return schedule;
}

after_retry rule_start::retry(int attempts) const {
    delay_schedule schedule = default_retries();
    schedule.attempts = attempts;
    return begin_retry(std::move(schedule));
}

after_retry rule_start::retry(int attempts, duration delay, backoff growth) const {
    delay_schedule schedule = default_retries();
    schedule.attempts = attempts;
    schedule.base_delay = delay;
    schedule.growth = growth;
    schedule.max_delay = std::max(delay, schedule.max_delay);
    return begin_retry(std::move(schedule));
}

exception_policy exception_policy::standard() {
    exception_policy policy;
    policy.otherwise().retry().then_redeliver();
    return policy;
}

rule_start exception_policy::otherwise() {
    exception_rule rule;
    rule.exception = "otherwise";
    rule.matches = [](const std::exception_ptr&) { return true; };
    return add(std::move(rule));
}

rule_start exception_policy::add(exception_rule rule) {
    const auto replaced = std::ranges::find_if(rules_, [&](const exception_rule& each) {
        return !rule.conditional && !each.conditional && same_type(each, rule);
    });
    const auto place = static_cast<std::size_t>(replaced - rules_.begin());
    if (replaced == rules_.end()) {
        rules_.push_back(std::move(rule));
    } else {
        *replaced = std::move(rule);
    }
    return {*this, place};
}

const exception_rule* exception_policy::match(const std::exception_ptr& thrown) const {
    const auto found = std::ranges::find_if(rules_, [&](const exception_rule& each) { return each.matches(thrown); });
    return found == rules_.end() ? nullptr : &*found;
}

bool exception_policy::retries() const noexcept {
    return std::ranges::any_of(rules_, [](const exception_rule& each) { return each.retries.has_value(); });
}

bool exception_policy::redelivers() const noexcept {
    return std::ranges::any_of(rules_, [](const exception_rule& each) { return each.redeliveries.has_value(); });
}

duration exception_policy::last_redelivery() const noexcept {
    duration longest{};
    for (const exception_rule& each : rules_) {
        if (each.redeliveries) {
            time_point last = after_waits(each.retries, {}); // a moment, since moments do not overflow
            for (int i = 1; i <= each.redeliveries->attempts; ++i) {
                last = after_waits(each.retries, later(last, each.redeliveries->delay(i, 1)));
            }
            longest = std::max(longest, last.time_since_epoch());
        }
    }
    return longest;
}

duration exception_policy::longest_redelivery() const noexcept {
    duration longest{};
    for (const exception_rule& each : rules_) {
        longest = std::max(longest, each.redeliveries ? each.redeliveries->longest() : duration{});
    }
    return longest;
}

void exception_policy::seal() {
    struct ranked {
        std::ptrdiff_t depth;
        exception_rule rule;
    };
    std::vector<ranked> order;
    for (const exception_rule& each : rules_) {
        order.push_back({depth(each, rules_), each});
    }
    std::ranges::stable_sort(order, [](const ranked& one, const ranked& other) {
        return one.depth != other.depth ? one.depth > other.depth : one.rule.conditional && !other.rule.conditional;
    });
    rules_.clear();
    for (ranked& each : order) {
        rules_.push_back(std::move(each.rule));
    }
}

void exception_policy::validate(const std::string& scope, std::vector<std::string>& problems) const {
    for (const exception_rule& each : rules_) {
        const std::string what = scope + ", exception policy, " + each.exception;
        if (!each.then) {
            problems.push_back(what + ": the rule says nothing; call discard, dead_letter, retry or redeliver on it");
        }
        if (each.retries) {
            each.retries->validate(what + ", retry", problems);
        }
        if (each.redeliveries) {
            each.redeliveries->validate(what + ", redelivery", problems);
        }
    }
}

} // namespace ferry

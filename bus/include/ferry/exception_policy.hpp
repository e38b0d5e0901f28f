#pragma once

#include <ferry/delay_schedule.hpp>
#include <ferry/reflection/type_name.hpp>

#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ferry {

/// What becomes of a message that nothing has helped.
enum class last_resort : unsigned char { dead_letter, discard };

/// What one rule of a policy says about the exceptions it is for.
struct exception_rule {
    std::string exception;    ///< the type it is for, readable; "otherwise" for the rule of all others
    bool conditional = false; ///< it has a predicate
    std::optional<delay_schedule> retries;
    std::optional<delay_schedule> redeliveries;
    std::optional<last_resort> then; ///< none while the user has not said anything: a rule without an action

    /// Whether the exception is of the rule's type and its predicate, if it has one, agrees.
    std::function<bool(const std::exception_ptr&)> matches;
    /// Throws a pointer to the rule's type; null for the rule of all others.
    void (*throw_pointer)() = nullptr;
    /// Whether a pointer that `thrower` throws is caught as one to the rule's type, which is how types that the
    /// compiler never saw together can be compared.
    bool (*catches)(void (*thrower)()) = nullptr;

    [[nodiscard]] bool is_for_all_others() const noexcept { return throw_pointer == nullptr; }
    [[nodiscard]] std::string text() const;
};

class exception_policy;

/// The end of a rule that redelivers.
class after_redelivery {
public:
    void then_dead_letter() const { set(last_resort::dead_letter); }
    void then_discard() const { set(last_resort::discard); }

protected:
    friend class exception_policy;
    after_redelivery(exception_policy& policy, std::size_t rule) noexcept : policy_{&policy}, rule_{rule} {}

    [[nodiscard]] exception_rule& rule() const;
    void set(last_resort then) const { rule().then = then; }
    after_redelivery redelivers(delay_schedule schedule) const {
        rule().redeliveries = std::move(schedule);
        return {*policy_, rule_};
    }

private:
    exception_policy* policy_;
    std::size_t rule_;
};

/// What may follow when the retries of a rule are used up. Dead-lettering if nothing is said.
class after_retry : public after_redelivery {
public:
    after_redelivery then_redeliver() const { return redelivers(default_redeliveries()); }
    after_redelivery then_redeliver(int times, duration base_delay) const {
        return redelivers(redelivery_schedule(times, base_delay));
    }
    after_redelivery then_redeliver(std::initializer_list<duration> intervals) const {
        return redelivers(delay_schedule::exactly(intervals));
    }
    after_redelivery then_redeliver(delay_schedule schedule) const { return redelivers(std::move(schedule)); }

protected:
    friend class exception_policy;
    using after_redelivery::after_redelivery;
    [[nodiscard]] static delay_schedule redelivery_schedule(int times, duration base_delay);
    after_retry retries(delay_schedule schedule) const {
        rule().retries = std::move(schedule);
        return *this;
    }
};

/// A rule that has been told what it is for and not yet what to do. One of its functions must be called.
class rule_start : private after_retry {
public:
    /// Forgets the message, after one attempt.
    void discard() const { set(last_resort::discard); }
    /// Moves the message to the error queue, after one attempt.
    void dead_letter() const { set(last_resort::dead_letter); }

    /// Tries again at once, in the same slot, with a wait before each attempt.
    after_retry retry() const { return begin_retry(default_retries()); }
    after_retry retry(int attempts) const;
    after_retry retry(int attempts, duration delay, backoff growth = backoff::exponential) const;
    after_retry retry(std::initializer_list<duration> intervals) const {
        return begin_retry(delay_schedule::exactly(intervals));
    }
    after_retry retry(delay_schedule schedule) const { return begin_retry(std::move(schedule)); }

    /// Puts the message back for later; its slot handles others meanwhile.
    after_redelivery redeliver() const { return begin_redelivery(default_redeliveries()); }
    after_redelivery redeliver(int times, duration base_delay) const {
        return begin_redelivery(redelivery_schedule(times, base_delay));
    }
    after_redelivery redeliver(std::initializer_list<duration> intervals) const {
        return begin_redelivery(delay_schedule::exactly(intervals));
    }
    after_redelivery redeliver(delay_schedule schedule) const { return begin_redelivery(std::move(schedule)); }

private:
    friend class exception_policy;
    using after_retry::after_retry;
    after_retry begin_retry(delay_schedule schedule) const {
        set(last_resort::dead_letter);
        return retries(std::move(schedule));
    }
    after_redelivery begin_redelivery(delay_schedule schedule) const {
        set(last_resort::dead_letter);
        return redelivers(std::move(schedule));
    }
};

/// What to do about the exceptions of handlers: a rule for each kind of them. Of the rules that fit, the one with the
/// most derived type counts; of two with the same type the one with a predicate, then the one stated first. Stating a
/// rule without predicate again replaces it. What no rule fits goes to the error queue after one attempt.
class exception_policy {
public:
    /// The policy of `resilience()`: whatever is thrown is retried, then redelivered, with the defaults.
    [[nodiscard]] static exception_policy standard();

    template <typename Exception> [[nodiscard]] rule_start on() {
        return add(rule_for<Exception>([](const Exception&) { return true; }));
    }
    template <typename Exception, typename Predicate>
        requires std::predicate<const Predicate&, const Exception&>
    [[nodiscard]] rule_start on(Predicate condition) {
        exception_rule rule = rule_for<Exception>(std::move(condition));
        rule.conditional = true;
        return add(std::move(rule));
    }
    /// For everything that no other rule fits, whatever its type.
    [[nodiscard]] rule_start otherwise();

    /// The rule for that exception, or nullptr.
    [[nodiscard]] const exception_rule* match(const std::exception_ptr& thrown) const;
    [[nodiscard]] bool retries() const noexcept;
    [[nodiscard]] bool redelivers() const noexcept;
    /// How long after it came first a message may be tried for the last time; zero when none is put back.
    [[nodiscard]] duration last_redelivery() const noexcept;
    /// How long a message that is put back waits at most; zero when none is.
    [[nodiscard]] duration longest_redelivery() const noexcept;
    /// The rules, those that are looked at first in front.
    [[nodiscard]] const std::vector<exception_rule>& rules() const noexcept { return rules_; }

    /// Puts the rules into the order they are looked at. Rules that are added later need it again.
    void seal();
    /// Appends a sentence for each rule that cannot work.
    void validate(const std::string& scope, std::vector<std::string>& problems) const;

private:
    friend class after_redelivery;

    template <typename Exception, typename Predicate> static exception_rule rule_for(Predicate condition) {
        static_assert(std::is_same_v<Exception, std::remove_cvref_t<Exception>>,
                      "ferry: name the exception's type without const and &: policy.on<std::runtime_error>().");
        exception_rule rule;
        rule.exception = type_name<Exception>();
        rule.matches = [condition = std::move(condition)](const std::exception_ptr& thrown) {
            try {
                std::rethrow_exception(thrown);
            } catch (const Exception& caught) {
                return agrees(condition, caught);
            } catch (...) {
                return false;
            }
        };
        // Pointers, since nobody can make a value of a type that is only known by name.
        // NOLINTBEGIN(misc-throw-by-value-catch-by-reference)
        rule.throw_pointer = [] { throw static_cast<const Exception*>(nullptr); };
        rule.catches = [](void (*thrower)()) {
            try {
                thrower();
            } catch (const Exception*) {
                return true;
            } catch (...) { // of another type
                return false;
            }
            return false;
        };
        // NOLINTEND(misc-throw-by-value-catch-by-reference)
        return rule;
    }
    /// A predicate that throws has not agreed.
    template <typename Predicate, typename Exception>
    [[nodiscard]] static bool agrees(const Predicate& condition, const Exception& caught) noexcept {
        try {
            return static_cast<bool>(condition(caught));
        } catch (...) {
            return false;
        }
    }
    rule_start add(exception_rule rule);

    std::vector<exception_rule> rules_;
};

} // namespace ferry

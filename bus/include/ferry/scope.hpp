#pragma once

#include <ferry/consume_context.hpp>
#include <ferry/dispatch_context.hpp>
#include <ferry/pipeline_plan.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/settings.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry {

/// The stages a user has placed at one scope, sorted by the pipeline they go to.
struct stage_placements {
    std::vector<placement<receive_context>> receive;
    std::vector<placement<consume_context>> consume;
    std::vector<placement<dispatch_context>> dispatch;
};

namespace detail {

template <typename Stage, typename Context>
concept stage_of = std::invocable<const Stage&, Context&, next<Context>>;

/// Puts a stage with the others of its pipeline; which one that is shows in the context the stage takes.
template <typename... Allowed, typename Stage, typename Where> void
place_stage(stage_placements& placements, Where position, std::string_view anchor, std::string_view key, Stage added) {
    constexpr int fits = int{stage_of<Stage, receive_context>} + int{stage_of<Stage, consume_context>} +
                         int{stage_of<Stage, dispatch_context>};
    static_assert(fits != 0,
                  "ferry: a stage is callable as const with (Context&, ferry::next<Context>), where Context is "
                  "receive_context, consume_context or dispatch_context.");
    static_assert(fits < 2,
                  "ferry: this stage could go into several pipelines; name the context it takes instead of auto.");
    static_assert(
        fits != 1 || (stage_of<Stage, Allowed> || ...),
        "ferry: this stage does not belong to this scope: dispatch stages are placed at the bus or its transport, "
        "receive stages there or at an endpoint, and only consume stages at a consumer.");
    const auto add = [&]<typename Context>(std::vector<placement<Context>>& into) {
        into.push_back({static_cast<typename placement<Context>::where>(position), std::string{anchor},
                        stage<Context>{key, std::move(added)}});
    };
    if constexpr (fits != 1) {
        return; // the sentences above have said it
    } else if constexpr (stage_of<Stage, receive_context>) {
        add(placements.receive);
    } else if constexpr (stage_of<Stage, consume_context>) {
        add(placements.consume);
    } else if constexpr (stage_of<Stage, dispatch_context>) {
        add(placements.dispatch);
    }
}

} // namespace detail

/// What every scope of a builder offers: placing stages of one's own. A stage is a class with a `key` and
/// `void operator()(Context&, ferry::next<Context>) const`, or such a callable with a key beside it.
template <typename Derived, typename... Contexts> class stage_scope {
    enum class where : unsigned char { innermost, before, after };

public:
    /// Places a stage innermost: right around the pipeline's own work (routing, the handler, the transport).
    template <typename Stage> Derived& use(Stage added) {
        return place(where::innermost, {}, Stage::key, std::move(added));
    }
    template <typename Stage> Derived& use(std::string_view key, Stage added) {
        return place(where::innermost, {}, key, std::move(added));
    }
    /// Places a stage right outside the one with that key.
    template <typename Stage> Derived& use_before(std::string_view anchor, Stage added) {
        return place(where::before, anchor, Stage::key, std::move(added));
    }
    template <typename Stage> Derived& use_before(std::string_view anchor, std::string_view key, Stage added) {
        return place(where::before, anchor, key, std::move(added));
    }
    /// Places a stage right inside the one with that key.
    template <typename Stage> Derived& use_after(std::string_view anchor, Stage added) {
        return place(where::after, anchor, Stage::key, std::move(added));
    }
    template <typename Stage> Derived& use_after(std::string_view anchor, std::string_view key, Stage added) {
        return place(where::after, anchor, key, std::move(added));
    }

protected:
    stage_placements placements_;

private:
    template <typename Stage>
    Derived& place(where position, std::string_view anchor, std::string_view key, Stage added) {
        detail::place_stage<Contexts...>(placements_, position, anchor, key, std::move(added));
        return static_cast<Derived&>(*this);
    }
};

/// What every scope offers for the consumers in it.
template <typename Derived, typename... Contexts> class consumer_scope : public stage_scope<Derived, Contexts...> {
public:
    /// What to do when a handler throws. Replaces the policy of every wider scope as a whole.
    Derived& resilience(const std::function<void(exception_policy&)>& configure) {
        exception_policy policy;
        configure(policy);
        consumer_options_.policy = std::move(policy);
        return static_cast<Derived&>(*this);
    }
    /// Retries whatever is thrown, then redelivers, with the defaults.
    Derived& resilience() {
        consumer_options_.policy = exception_policy::standard();
        return static_cast<Derived&>(*this);
    }
    /// How long a handler may take. Then `context.stopping()` is requested, and when the handler comes back it has
    /// failed with `handler_timeout`.
    Derived& handler_timeout(duration longest) {
        consumer_options_.handler_timeout = longest;
        return static_cast<Derived&>(*this);
    }

    /// Whether a message that comes twice is handled once, where the bus has a store with an inbox. It is, if nothing
    /// is said.
    Derived& inbox(bool on) {
        consumer_options_.inbox = on;
        return static_cast<Derived&>(*this);
    }

protected:
    consumer_options consumer_options_;
};

/// What the scopes above a consumer offer beside it: the values an endpoint needs.
template <typename Derived, typename... Contexts> class endpoint_scope : public consumer_scope<Derived, Contexts...> {
public:
    /// How many messages an endpoint handles at once. Each is a slot with a thread of its own.
    Derived& concurrency_limit(std::size_t slots) { return set(options_.concurrency, slots); }
    /// How many deliveries an endpoint fetches ahead of its slots.
    Derived& prefetch(std::size_t deliveries) { return set(options_.prefetch, deliveries); }
    /// Lets a slot handle up to so many messages in one transaction, which costs one commit. Where one of them fails
    /// none of it has happened, and each runs again alone. Needs a store.
    Derived& group_commit(std::size_t messages) { return set(options_.group_commit, messages); }
    Derived& recovery(const backoff_options& backoff) { return set(options_.recovery, backoff); }
    /// When an endpoint whose handlers fail pauses. Values that are not set here come from the wider scopes.
    Derived& circuit_breaker(const breaker_options& options) {
        options_.circuit_breaker = options.over(options_.circuit_breaker);
        return static_cast<Derived&>(*this);
    }
    /// When an endpoint pauses because the broker fails: not even its error queue can be reached, say.
    Derived& transport_circuit_breaker(const breaker_options& options) {
        options_.transport_circuit_breaker = options.over(options_.transport_circuit_breaker);
        return static_cast<Derived&>(*this);
    }

protected:
    endpoint_options options_;

private:
    template <typename Value> Derived& set(std::optional<Value>& option, const Value& value) {
        option = value;
        return static_cast<Derived&>(*this);
    }
};

} // namespace ferry

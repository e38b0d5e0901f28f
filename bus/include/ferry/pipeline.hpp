#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry {

template <typename Context> class next;

/// The erased form of a stage: any class with `void operator()(Context&, next<Context>) const`.
template <typename Context> class step {
public:
    step() = default;
    step(const step&) = delete;
    step& operator=(const step&) = delete;
    virtual ~step() = default;
    virtual void run(Context& context, next<Context> rest) const = 0;
};

/// One stage and the way to the one behind it, in the sealed array of a pipeline.
template <typename Context> struct link {
    const step<Context>* stage;
};

/// The rest of the pipeline, as a stage sees it. Call it once to go on, more often to try again, or not at all to end
/// the message here. Behind the last stage there is nothing, and calling it does nothing.
template <typename Context> class next {
public:
    explicit next(const link<Context>* rest) noexcept : rest_{rest} {}
    void operator()(Context& context) const {
        if (rest_->stage != nullptr) {
            rest_->stage->run(context, next{rest_ + 1});
        }
    }

private:
    const link<Context>* rest_;
};

/// A stage with its key, before it has a place in a pipeline. Shared, because a stage that was placed at bus scope
/// stands in the pipelines of many endpoints; stages are called by several slots at once and are const.
template <typename Context> class stage {
public:
    template <typename Callable> stage(std::string_view key, Callable callable)
        : key_{key}, step_{std::make_shared<callable_step<Callable>>(std::move(callable))} {}

    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    [[nodiscard]] const std::shared_ptr<const step<Context>>& body() const noexcept { return step_; }

private:
    template <typename Callable> class callable_step final : public step<Context> {
    public:
        explicit callable_step(Callable callable) : callable_{std::move(callable)} {}
        void run(Context& context, next<Context> rest) const override { callable_(context, rest); }

    private:
        Callable callable_;
    };

    std::string key_;
    std::shared_ptr<const step<Context>> step_;
};

/// A finished chain of stages. Running it costs one indirect call a stage and allocates nothing.
template <typename Context> class pipeline {
public:
    explicit pipeline(std::vector<stage<Context>> stages) : stages_{std::move(stages)} {
        links_.reserve(stages_.size() + 1);
        for (const stage<Context>& each : stages_) {
            links_.push_back({each.body().get()});
        }
        links_.push_back({nullptr});
    }

    void operator()(Context& context) const { next<Context>{links_.data()}(context); }

    [[nodiscard]] std::vector<std::string> keys() const {
        std::vector<std::string> all;
        for (const stage<Context>& each : stages_) {
            all.push_back(each.key());
        }
        return all;
    }

private:
    std::vector<stage<Context>> stages_;
    std::vector<link<Context>> links_;
};

} // namespace ferry

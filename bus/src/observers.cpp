#include "observers.hpp"

#include <ferry/exception_summary.hpp>

#include <utility>

namespace ferry {

namespace {

/// What several observers follow at once. It ends for the last of them first, as it began.
class shared_observation final : public observation {
public:
    explicit shared_observation(std::vector<std::unique_ptr<observation>> all) noexcept : all_{std::move(all)} {}
    ~shared_observation() override {
        while (!all_.empty()) {
            all_.pop_back();
        }
    }

    void happened(const occurrence& what) noexcept override {
        for (const auto& each : all_) {
            each->happened(what);
        }
    }
    void failed(const std::exception_ptr& thrown) noexcept override {
        for (const auto& each : all_) {
            each->failed(thrown);
        }
    }
    void answered(const send_outcome& outcome) noexcept override {
        for (const auto& each : all_) {
            each->answered(outcome);
        }
    }
    void left(const envelope& message, const std::exception_ptr& failure) noexcept override {
        for (const auto& each : all_) {
            each->left(message, failure);
        }
    }
    void includes(const envelope& message) noexcept override {
        for (const auto& each : all_) {
            each->includes(message);
        }
    }

private:
    std::vector<std::unique_ptr<observation>> all_;
};

} // namespace

void observers::tell_of_failure() const {
    log_(log_level::error, "an observer failed: " + summary_of(std::current_exception()).text);
}

void observers::started(const observed_bus& bus) {
    for (const auto& each : all_) {
        try {
            each->started(bus);
        } catch (...) {
            tell_of_failure();
        }
    }
}

void observers::stopped() noexcept {
    for (const auto& each : all_) {
        each->stopped();
    }
}

trace_position observers::position() noexcept {
    for (const auto& each : all_) {
        if (trace_position found = each->position(); !found.trace_id.empty()) {
            return found;
        }
    }
    return {};
}

trace_position observers::origin(const envelope& message) noexcept {
    for (const auto& each : all_) {
        if (trace_position found = each->origin(message); !found.trace_id.empty()) {
            return found;
        }
    }
    return {};
}

void observers::logged(const log_line& line) noexcept {
    for (const auto& each : all_) {
        each->logged(line);
    }
}

template <typename Begin> std::unique_ptr<observation> observers::begin(Begin begin_one) const {
    std::unique_ptr<observation> first;
    std::vector<std::unique_ptr<observation>> others;
    for (const auto& each : all_) {
        try {
            if (std::unique_ptr<observation> begun = begin_one(*each); begun && first) {
                others.push_back(std::move(begun));
            } else if (begun) {
                first = std::move(begun);
            }
        } catch (...) {
            tell_of_failure();
        }
    }
    if (others.empty()) {
        return first;
    }
    others.insert(others.begin(), std::move(first));
    return std::make_unique<shared_observation>(std::move(others));
}

std::unique_ptr<observation> observers::dispatching(dispatch_context& message) {
    return begin([&](observer& each) { return each.dispatching(message); });
}

std::unique_ptr<observation> observers::receiving(receive_context& message) {
    return begin([&](observer& each) { return each.receiving(message); });
}

std::unique_ptr<observation> observers::handling(consume_context& message) {
    return begin([&](observer& each) { return each.handling(message); });
}

std::unique_ptr<observation> observers::committing(std::string_view endpoint, std::size_t count) {
    return begin([&](observer& each) { return each.committing(endpoint, count); });
}

std::unique_ptr<observation> observers::relaying(std::size_t count) {
    return begin([&](observer& each) { return each.relaying(count); });
}

std::unique_ptr<observation> observers::sending_scheduled(const envelope& message) {
    return begin([&](observer& each) { return each.sending_scheduled(message); });
}

} // namespace ferry

#pragma once

#include <ferry/uuid.hpp>

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ferry::amqp {

/// The correlation ids of requests from clients that write them in a way of their own: inside ferry such a request has
/// an id that was derived from the text, and its reply must repeat the text. Knows the latest of them. For any thread.
class foreign_correlations {
public:
    static constexpr std::size_t default_capacity = 10'000;

    explicit foreign_correlations(std::size_t capacity = default_capacity) noexcept : capacity_{capacity} {}

    void remember(const uuid& id, std::string_view text);
    /// Empty when there is none, which costs next to nothing where only ferry sends requests.
    [[nodiscard]] std::string text_of(const uuid& id) const;

private:
    struct correlation {
        uuid id;
        std::string text;
    };

    void forget_the_oldest();

    const std::size_t capacity_;
    std::atomic<bool> any_{false};
    mutable std::mutex mutex_;
    std::list<correlation> by_age_; // the latest at the end
    std::unordered_map<uuid, std::list<correlation>::iterator> by_id_;
};

} // namespace ferry::amqp

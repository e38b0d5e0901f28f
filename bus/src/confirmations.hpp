#pragma once

#include <ferry/envelope.hpp>
#include <ferry/transport.hpp>

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>

namespace ferry {

class observation;

/// What a reply is whose requester is gone.
enum class lost_reply : unsigned char { is_failure, is_dropped };

/// Waits until the broker has answered for every message that was sent under it. The envelopes must live as long.
class confirmations {
public:
    /// The observation, if there is one, hears of each answer.
    explicit confirmations(lost_reply meaning = lost_reply::is_failure, observation* observed = nullptr) noexcept
        : lost_reply_{meaning}, observed_{observed} {}
    confirmations(const confirmations&) = delete;
    confirmations& operator=(const confirmations&) = delete;
    ~confirmations() = default;

    /// A callback for one more message. One that is destroyed without having been called says that its message was not
    /// sent (but collected, say), and is not waited for.
    [[nodiscard]] send_callback expect(const envelope& message);
    /// Returns when all have been answered; throws the first failure.
    void wait();

    /// Events nobody subscribes to.
    [[nodiscard]] std::size_t unrouted() const noexcept { return unrouted_; }
    [[nodiscard]] std::size_t late_replies() const noexcept { return late_replies_; }

private:
    class expectation {
    public:
        expectation(confirmations& owner, const envelope& message) noexcept : owner_{&owner}, message_{&message} {}
        expectation(expectation&& other) noexcept
            : owner_{std::exchange(other.owner_, nullptr)}, message_{other.message_} {}
        expectation& operator=(expectation&&) = delete;
        ~expectation() {
            if (owner_ != nullptr) {
                owner_->settled(nullptr);
            }
        }
        void operator()(const send_outcome& outcome) { std::exchange(owner_, nullptr)->answered(outcome, *message_); }

    private:
        confirmations* owner_;
        const envelope* message_;
    };

    void answered(const send_outcome& outcome, const envelope& message);
    void settled(const std::exception_ptr& failure, std::size_t* counted = nullptr);
    void tell(const envelope& message, const std::exception_ptr& failure) noexcept;

    const lost_reply lost_reply_;
    observation* const observed_;
    std::mutex mutex_;
    std::condition_variable all_settled_;
    std::size_t outstanding_ = 0;
    std::size_t unrouted_ = 0;
    std::size_t late_replies_ = 0;
    std::exception_ptr failure_;
};

} // namespace ferry

#pragma once

#include <ferry/envelope.hpp>
#include <ferry/time.hpp>
#include <ferry/uuid.hpp>

#include <cstddef>
#include <span>

namespace ferry {

/// What `schedule_publish` and `schedule_send` return: the way to cancel.
struct schedule_token {
    uuid id; ///< of the message

    friend bool operator==(const schedule_token&, const schedule_token&) = default;
};

/// Keeps messages until they are due and hands them to the transport then, in due order. One whose send fails is tried
/// again after growing waits, and is dead when that was in vain. Without a store they are kept in the process and end
/// with it.
class scheduler {
public:
    /// Takes complete messages, each due at its `scheduled_at`: all of them, or, when it throws, none.
    virtual void keep(std::span<const envelope> messages) = 0;
    /// The same for a message that comes again to whom it came before. Whoever once scheduled it has a token for it,
    /// and a scheduler that knows the difference does not let that cancel it now.
    virtual void keep_again(const envelope& message) { keep(std::span{&message, 1}); }
    /// True when the message was there and is not sent now; false when it has been sent or cancelled, or never was.
    virtual bool cancel(const schedule_token& token) = 0;

    struct counts {
        std::size_t waiting = 0;
        std::size_t dead = 0; ///< given up; still there, and forgotten when cancelled
    };
    [[nodiscard]] virtual counts count() const = 0;

protected:
    ~scheduler() = default;
};

} // namespace ferry

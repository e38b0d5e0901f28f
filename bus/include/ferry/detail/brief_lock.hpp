#pragma once

#include <atomic>
#include <mutex>

namespace ferry::detail {

/// Tells the processor that this thread only waits for another one.
inline void pause_briefly() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

/// Locks a mutex that nobody holds for longer than a few hundred nanoseconds. Trying again for that long is cheaper
/// than going to sleep: waking a thread costs thousands.
[[nodiscard]] inline std::unique_lock<std::mutex> lock_briefly(std::mutex& mutex) {
    constexpr int tries = 100;
    std::unique_lock lock{mutex, std::try_to_lock};
    for (int i = 0; i < tries && !lock.owns_lock(); ++i) {
        pause_briefly();
        (void)lock.try_lock();
    }
    if (!lock.owns_lock()) {
        lock.lock();
    }
    return lock;
}

} // namespace ferry::detail

#include <ferry/stack_traces.hpp>

#include <boost/stacktrace.hpp>
#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <typeinfo>

namespace ferry {

namespace {

/// The stack of one throw, as addresses: names are looked up when somebody wants to read it.
struct remembered_throw {
    static constexpr std::size_t deepest = 64;

    const void* exception = nullptr;
    const void* type = nullptr;
    std::array<const void*, deepest> frames{};
    std::size_t count = 0;
};

/// The last throws of this thread. Several, because several consumers of a message may fail before the first failure is
/// written down.
struct recent_throws {
    bool watching = false;
    std::size_t next = 0;
    std::array<remembered_throw, 8> throws{};
};

constinit thread_local recent_throws recent;

/// Another exception now lives where an earlier one did.
void forget(const void* exception) noexcept {
    for (remembered_throw& each : recent.throws) {
        each.exception = each.exception == exception ? nullptr : each.exception;
    }
}

[[gnu::noinline]] void remember(const void* exception, const void* type) noexcept {
    remembered_throw& slot = recent.throws[recent.next++ % recent.throws.size()];
    slot.exception = exception;
    slot.type = type;
    constexpr std::size_t own = 2; // this function and the one that throws
    slot.count = boost::stacktrace::safe_dump_to(own, static_cast<void*>(slot.frames.data()), sizeof slot.frames);
}

// An exception_ptr of this ABI is a pointer to the thrown object.
const void* object_of(const std::exception_ptr& thrown) noexcept {
    static_assert(sizeof thrown == sizeof(void*));
    const void* object = nullptr;
    std::memcpy(static_cast<void*>(&object), static_cast<const void*>(&thrown), sizeof object);
    return object;
}

const void* type_of(const std::exception_ptr& thrown) noexcept {
    try {
        std::rethrow_exception(thrown);
    } catch (...) {
        return abi::__cxa_current_exception_type();
    }
}

const remembered_throw* find(const std::exception_ptr& thrown) noexcept {
    const void* object = object_of(thrown);
    const auto found = std::ranges::find(recent.throws, object, &remembered_throw::exception);
    const bool known = object != nullptr && found != recent.throws.end() && found->type == type_of(thrown);
    return known ? &*found : nullptr;
}

class captured_traces final : public stack_trace_source {
public:
    void watch_this_thread(bool on) noexcept override { recent.watching = on; }

    [[nodiscard]] std::string trace_of(const std::exception_ptr& thrown) const override {
        const remembered_throw* seen = find(thrown);
        std::string text;
        for (std::size_t i = 0; seen != nullptr && i < seen->count && seen->frames[i] != nullptr; ++i) {
            // What was called returns to the instruction behind the call, which may belong to the next function.
            const void* call = static_cast<const char*>(seen->frames[i]) - 1;
            text += boost::stacktrace::to_string(boost::stacktrace::frame{call}) + "\n";
        }
        return text;
    }
};

} // namespace

stack_trace_source& captured_stack_traces() noexcept {
    static captured_traces source;
    return source;
}

} // namespace ferry

// g++ has an opinion of its own about the type of this function, and clang has that of the header.
#ifdef __clang__
using type_of_exception = std::type_info;
#else
using type_of_exception = void;
#endif

// The one of the C++ runtime, with a look at the stack before it. NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" __attribute__((noreturn)) void __cxa_throw(void* exception, type_of_exception* type,
                                                      void (*destroy)(void*)) {
    using runtime_throw = void (*)(void*, type_of_exception*, void (*)(void*));
    static const auto original = reinterpret_cast<runtime_throw>(::dlsym(RTLD_NEXT, "__cxa_throw"));
    ferry::forget(exception);
    if (ferry::recent.watching) {
        ferry::remember(exception, type);
    }
    original(exception, type, destroy);
    __builtin_unreachable();
}

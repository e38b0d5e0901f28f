#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace spdlog {
class logger;
}

namespace ferry {

struct envelope;

/// How much an operator should care. A failure that is dealt with by itself (an attempt that is repeated) is no more
/// than information, one that somebody may want to look into a warning, and one that somebody must, an error.
enum class log_level : unsigned char { debug, info, warning, error };

[[nodiscard]] std::string_view to_string(log_level level) noexcept;

/// What a line is about, as far as it is about a message or a place.
struct log_subject {
    std::string_view endpoint = {};
    std::string_view consumer = {};
    const envelope* message = nullptr; ///< its ids are told, never its body
    std::int64_t attempt = 0;          ///< how often the consumer was called with it, 0 when that does not matter
};

/// Where in a trace something happened: ids as lower-case hexadecimal digits, empty outside of a trace.
struct trace_position {
    std::string trace_id = {};
    std::string span_id = {};
};

/// One line of the log. It lives as long as the call that brings it.
struct log_line {
    log_level level = log_level::info;
    std::string_view text; ///< a sentence that can be understood without the rest
    log_subject about = {};
    trace_position trace = {};

    /// What is known beside the text, by name: endpoint, consumer, message_type, message_id, conversation_id, attempt,
    /// trace_id, span_id.
    [[nodiscard]] std::vector<std::pair<std::string_view, std::string>> fields() const;
};

/// Takes one line at a time, from any thread. It must not throw, and must not start or stop the bus it listens to. Made
/// from anything that takes a `log_line`, or only the level and the text; an empty one is silent.
class log_function {
public:
    log_function() = default;
    template <typename Write>
        requires(!std::same_as<std::remove_cvref_t<Write>, log_function> && std::invocable<Write&, const log_line&>)
    log_function(Write write) : write_{std::move(write)} {}
    template <typename Write>
        requires std::invocable<Write&, log_level, std::string_view>
    log_function(Write write)
        : write_{[plain = std::move(write)](const log_line& line) mutable { plain(line.level, line.text); }} {}

    void operator()(const log_line& line) const {
        if (write_) {
            write_(line);
        }
    }
    void operator()(log_level level, std::string_view text, const log_subject& about = {}) const {
        (*this)(log_line{.level = level, .text = text, .about = about});
    }
    explicit operator bool() const noexcept { return static_cast<bool>(write_); }

private:
    std::function<void(const log_line&)> write_;
};

/// Writes to this spdlog logger, the fields behind the text as `name=value`. Without one: to the logger that is
/// registered with spdlog as "ferry", or if there is none, to a new one of that name, which shows warnings and errors
/// on standard error. A bus that is told nothing else does that.
[[nodiscard]] log_function log_to_spdlog(std::shared_ptr<spdlog::logger> logger = nullptr);

} // namespace ferry

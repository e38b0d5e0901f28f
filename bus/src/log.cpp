#include <ferry/envelope.hpp>
#include <ferry/log.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <mutex>

namespace ferry {

namespace {

constexpr const char* default_logger = "ferry";

spdlog::level::level_enum level_of(log_level level) noexcept {
    static constexpr std::array levels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                       spdlog::level::err};
    return levels[static_cast<std::size_t>(level)];
}

std::shared_ptr<spdlog::logger> registered_or_new() {
    static std::mutex one_at_a_time; // or two buses that are built at once would register it twice
    const std::scoped_lock lock{one_at_a_time};
    if (std::shared_ptr<spdlog::logger> registered = spdlog::get(default_logger)) {
        return registered;
    }
    std::shared_ptr<spdlog::logger> made = spdlog::stderr_logger_mt(default_logger);
    made->set_level(spdlog::level::warn);
    return made;
}

std::string with_fields(const log_line& line) {
    std::string whole{line.text};
    for (const auto& [name, value] : line.fields()) {
        whole.append(" ").append(name).append("=").append(value);
    }
    return whole;
}

} // namespace

std::string_view to_string(log_level level) noexcept {
    static constexpr std::array<std::string_view, 4> names{"debug", "info", "warning", "error"};
    return names[static_cast<std::size_t>(level)];
}

std::vector<std::pair<std::string_view, std::string>> log_line::fields() const {
    std::vector<std::pair<std::string_view, std::string>> known;
    const auto add = [&](std::string_view name, std::string value) {
        if (!value.empty()) {
            known.emplace_back(name, std::move(value));
        }
    };
    add("endpoint", std::string{about.endpoint});
    add("consumer", std::string{about.consumer});
    if (about.message != nullptr) {
        const auto text_of = [](const uuid& id) { return id.is_nil() ? std::string{} : id.to_string(); };
        add("message_type", about.message->message_type);
        add("message_id", text_of(about.message->message_id));
        add("conversation_id", text_of(about.message->conversation_id));
    }
    add("attempt", about.attempt > 0 ? std::to_string(about.attempt) : std::string{});
    add("trace_id", trace.trace_id);
    add("span_id", trace.span_id);
    return known;
}

log_function log_to_spdlog(std::shared_ptr<spdlog::logger> logger) {
    return [logger = logger ? std::move(logger) : registered_or_new()](const log_line& line) {
        if (logger->should_log(level_of(line.level))) {
            logger->log(level_of(line.level), spdlog::string_view_t{with_fields(line)});
        }
    };
}

} // namespace ferry

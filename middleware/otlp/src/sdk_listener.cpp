#include "sdk_listener.hpp"

#include "exporters.hpp"

#include <opentelemetry/sdk/common/global_log_handler.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ferry::otlp {

namespace internal_log = opentelemetry::sdk::common::internal_log;

/// The handler all sessions of the process share. It stays when they are gone and passes everything on to the one that
/// was there before: the SDK's threads may be calling a handler while it is replaced, and the SDK does not guard that.
class sdk_log final : public internal_log::LogHandler {
public:
    using handler = opentelemetry::nostd::shared_ptr<internal_log::LogHandler>;

    /// The one that is there, or a new one before whatever is there.
    [[nodiscard]] static std::shared_ptr<sdk_log> of_the_process() {
        static std::mutex one_at_a_time;
        static std::weak_ptr<sdk_log> ours;
        const std::scoped_lock lock{one_at_a_time};
        const handler present = internal_log::GlobalLogHandler::GetLogHandler();
        std::shared_ptr<sdk_log> found = ours.lock();
        if (found == nullptr || found.get() != present.get()) {
            found = std::make_shared<sdk_log>(present);
            ours = found;
            internal_log::GlobalLogHandler::SetLogHandler(handler{std::shared_ptr<internal_log::LogHandler>{found}});
        }
        return found;
    }

    explicit sdk_log(handler before)
        : before_{std::move(before)},
          programs_own_{before_ != nullptr &&
                        dynamic_cast<const internal_log::DefaultLogHandler*>(before_.get()) == nullptr} {}

    void Handle(internal_log::LogLevel level, const char* file, int line, const char* text,
                const opentelemetry::sdk::common::AttributeMap& attributes) noexcept override {
        if (level == internal_log::LogLevel::Error) {
            note_complaint();
        }
        if (!tell(text) && before_ != nullptr) {
            before_->Handle(level, file, line, text, attributes);
        }
    }

    void add(const log_function& log) {
        const std::scoped_lock lock{mutex_};
        if (told_.empty() && !programs_own_) {
            // Errors only: each span that finds the queue full is worth a warning to the SDK, written by the thread
            // whose message it is about.
            level_before_ = internal_log::GlobalLogHandler::GetLogLevel();
            internal_log::GlobalLogHandler::SetLogLevel(internal_log::LogLevel::Error);
        }
        told_.push_back(&log);
    }
    void remove(const log_function& log) {
        const std::scoped_lock lock{mutex_};
        std::erase(told_, &log);
        if (told_.empty() && !programs_own_ &&
            internal_log::GlobalLogHandler::GetLogLevel() == internal_log::LogLevel::Error) {
            internal_log::GlobalLogHandler::SetLogLevel(level_before_);
        }
    }

private:
    [[nodiscard]] bool tell(const char* text) {
        const std::scoped_lock lock{mutex_};
        if (programs_own_ || told_.empty()) {
            return false;
        }
        (*told_.back())(log_level::debug, std::string{"OpenTelemetry: "} + (text == nullptr ? "" : text));
        return true;
    }

    const handler before_;
    const bool programs_own_;
    std::recursive_mutex mutex_; // what is told may make the SDK say something
    std::vector<const log_function*> told_;
    internal_log::LogLevel level_before_ = internal_log::LogLevel::Warning;
};

sdk_listener::sdk_listener(log_function log) : log_{std::move(log)}, handler_{sdk_log::of_the_process()} {
    handler_->add(log_);
}

sdk_listener::~sdk_listener() { handler_->remove(log_); }

} // namespace ferry::otlp

#pragma once

#include <ferry/log.hpp>
#include <ferry/observer.hpp>

#include <memory>
#include <vector>

namespace ferry {

/// All observers of a bus as one. What they throw ends here.
class observers final : public observer {
public:
    observers(std::vector<std::shared_ptr<observer>> all, const log_function& log) : all_{std::move(all)}, log_{log} {}

    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

    void started(const observed_bus& bus) override;
    void stopped() noexcept override;
    std::unique_ptr<observation> dispatching(dispatch_context& message) override;
    std::unique_ptr<observation> receiving(receive_context& message) override;
    std::unique_ptr<observation> handling(consume_context& message) override;
    std::unique_ptr<observation> committing(std::string_view endpoint, std::size_t count) override;
    std::unique_ptr<observation> relaying(std::size_t count) override;
    std::unique_ptr<observation> sending_scheduled(const envelope& message) override;
    /// Of the first that traces.
    [[nodiscard]] trace_position position() noexcept override;
    [[nodiscard]] trace_position origin(const envelope& message) noexcept override;
    void logged(const log_line& line) noexcept override;

private:
    void tell_of_failure() const;
    template <typename Begin> [[nodiscard]] std::unique_ptr<observation> begin(Begin begin_one) const;

    std::vector<std::shared_ptr<observer>> all_;
    const log_function& log_;
};

} // namespace ferry

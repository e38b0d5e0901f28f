// An observer: hears of everything a bus does, for a team that measures in its own way.
// Look at: an observation is an object that lives as long as the work it follows.

#include <ferry/consumer.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>

#include <chrono>
#include <iostream>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>

namespace harbour {

struct ship_sighted {
    std::string name;
};

// #region observer
/// Tells how each attempt of a handler ended.
class attempt_report final : public ferry::observer {
    class attempt final : public ferry::observation {
    public:
        explicit attempt(std::string about) : about_{std::move(about)} {}
        ~attempt() override { std::cout << about_ << ": " << outcome_ << '\n'; }

        void failed(const std::exception_ptr& thrown) noexcept override { outcome_ = ferry::summary_of(thrown).text; }

    private:
        std::string about_;
        std::string outcome_ = "done";
    };

public:
    std::unique_ptr<ferry::observation> handling(ferry::consume_context& message) override {
        return std::make_unique<attempt>(message.consumer().name() + ", attempt " +
                                         std::to_string(message.attempt().retry + 1));
    }
};
// #endregion

} // namespace harbour

int main() {
    using namespace std::chrono_literals;
    std::latch seen{2};
    ferry::bus_builder builder{"harbour"};
    builder.transport(ferry::memory::transport{});
    builder.observe(std::make_shared<harbour::attempt_report>());
    builder.resilience([](ferry::exception_policy& policy) { policy.otherwise().retry({1ms}); });
    builder.handle<harbour::ship_sighted>([&](const harbour::ship_sighted&, ferry::consume_context& context) {
        seen.count_down();
        if (context.attempt().is_first()) {
            throw std::runtime_error{"fog"};
        }
    });
    ferry::bus bus = builder.build();
    bus.start();
    bus.publish(harbour::ship_sighted{"Minerva"});
    seen.wait();
    bus.stop();
}

#include "transport_suite.hpp"

#include <ferry/amqp/transport.hpp>

#include <cstdlib>

namespace ferry::testing {

namespace {

/// The private broker that scripts/services runs for the tests.
std::string broker_address() {
    const char* const url = std::getenv("FERRY_RABBITMQ_URL");
    return url == nullptr ? "amqp://127.0.0.1" : url;
}

class rabbitmq_harness final : public transport_harness {
public:
    explicit rabbitmq_harness(amqp::queue_type queues) : queues_{queues} {}

    [[nodiscard]] std::unique_ptr<transport> make_transport() override {
        return std::make_unique<amqp::transport>(broker_address(), amqp::transport_options{.queues = queues_});
    }
    // The first delayed message has to wait until the queues it passes through are there.
    [[nodiscard]] duration delay_resolution() const override { return std::chrono::milliseconds{500}; }

private:
    amqp::queue_type queues_;
};

transport_under_test with(const std::string& name, amqp::queue_type queues) {
    return {name, [queues] { return std::make_unique<rabbitmq_harness>(queues); }};
}

} // namespace

INSTANTIATE_TEST_SUITE_P(rabbitmq, TransportSuite,
                         ::testing::Values(with("quorum", amqp::queue_type::quorum),
                                           with("classic", amqp::queue_type::classic)),
                         ::testing::PrintToStringParamName());

} // namespace ferry::testing

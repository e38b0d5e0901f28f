#include "transport_suite.hpp"

#include <ferry/memory/transport.hpp>

namespace ferry::testing {

namespace {

class memory_harness final : public transport_harness {
public:
    [[nodiscard]] std::unique_ptr<transport> make_transport() override {
        return std::make_unique<memory::transport>(broker_);
    }

private:
    std::shared_ptr<memory::broker> broker_ = std::make_shared<memory::broker>();
};

const transport_under_test memory_transport{"memory", [] { return std::make_unique<memory_harness>(); }};

} // namespace

INSTANTIATE_TEST_SUITE_P(memory, TransportSuite, ::testing::Values(memory_transport),
                         ::testing::PrintToStringParamName());

} // namespace ferry::testing

#include "management.hpp"

#include <ferry/amqp/transport.hpp>
#include <ferry/ferry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/eventually.hpp>

#include <string>
#include <vector>

namespace ferry::scenarios {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Credentials, are_in_no_line_of_the_log) {
    const testing::management broker;
    testing::watched<std::vector<std::string>> lines;
    bus_builder builder{"billing"};
    builder.transport(amqp::transport{"amqp://guest:a-wrong-secret@127.0.0.1:" + std::to_string(broker.amqp_port()),
                                      {.give_up_after = 500ms}});
    builder.log([&](const log_line& line) {
        std::string whole{line.text};
        for (const auto& [name, value] : line.fields()) {
            whole += " " + value;
        }
        lines.change([&](auto& all) { all.push_back(whole); });
    });
    bus refused = builder.build();
    try {
        refused.start();
        ADD_FAILURE() << "the broker lets everybody in";
    } catch (const error& failure) {
        EXPECT_THAT(failure.what(), Not(HasSubstr("a-wrong-secret")));
    }
    EXPECT_THAT(lines.get(), Not(IsEmpty()));
    for (const std::string& each : lines.get()) {
        EXPECT_THAT(each, Not(HasSubstr("a-wrong-secret")));
    }
}

} // namespace
} // namespace ferry::scenarios

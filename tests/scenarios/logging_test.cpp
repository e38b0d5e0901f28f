#include "shop.hpp"

#include <ferry/observer.hpp>

#include <map>
#include <stdexcept>
#include <variant>

namespace ferry::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;

/// A line as the log function gets it, with everything copied.
struct noted_line {
    log_level level;
    std::string text;
    std::map<std::string, std::string> fields;
};

enum class parcel_size { small, large };

/// A member of every kind that a body may have wrong.
struct parcel_packed {
    int weight = 0;
    bool insured = false;
    parcel_size size{};
    uuid id{};
    time_point packed_at{};
    std::map<std::string, int> prices{};
    std::map<int, int> parts{};
    std::variant<std::string, int> label{};
};

/// An observer that knows where everything happens.
class fixed_position final : public observer {
public:
    trace_position position() noexcept override { return {.trace_id = "4bf9", .span_id = "00f0"}; }
};

class Logging : public shop {
protected:
    [[nodiscard]] std::unique_ptr<bus_builder> logging_service(const std::string& name) {
        auto builder = service(name);
        builder->log([this](const log_line& line) {
            noted_line copy{line.level, std::string{line.text}, {}};
            for (auto& [field, value] : line.fields()) {
                copy.fields.emplace(field, value);
            }
            lines.add(copy);
        });
        return builder;
    }
    [[nodiscard]] noted_line line_with(const std::string& text) const {
        const auto wanted = [&](const noted_line& line) { return line.text.contains(text); };
        EXPECT_TRUE(lines.eventually_contains(wanted)) << text;
        const auto all = lines.all();
        const auto found = std::ranges::find_if(all, wanted);
        return found == all.end() ? noted_line{} : *found;
    }

    void expect_no_line_with(const std::string& secret) const {
        for (const noted_line& line : lines.all()) {
            EXPECT_THAT(line.text, Not(HasSubstr(secret)));
            for (const auto& [name, value] : line.fields) {
                EXPECT_THAT(value, Not(HasSubstr(secret))) << name;
            }
        }
    }

    record<noted_line> lines;
};

TEST_F(Logging, tells_what_a_dead_letter_is_about) {
    auto builder = logging_service("billing");
    builder->observe(std::make_shared<fixed_position>());
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(1, 1ms); });
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"declined"}; });
    const auto billing = started(*builder);
    billing->publish(order_placed{"a-secret-number"});
    const noted_line dead = line_with("went to billing.order-placed_error");
    EXPECT_EQ(dead.level, log_level::error);
    EXPECT_THAT(dead.fields, IsSupersetOf({Pair("endpoint", "billing.order-placed"), Pair("consumer", "order-placed"),
                                           Pair("attempt", "2"), Pair("trace_id", "4bf9"), Pair("span_id", "00f0")}));
    EXPECT_THAT(dead.fields, AllOf(Contains(Pair("message_id", Not(""))), Contains(Pair("conversation_id", Not("")))));
}

TEST_F(Logging, takes_an_attempt_that_is_repeated_for_information) {
    std::atomic<int> calls{0};
    auto builder = logging_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(1, 1ms); });
    builder->handle<order_placed>([&](const order_placed&) {
        if (++calls == 1) {
            throw std::runtime_error{"declined"};
        }
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"17"});
    const noted_line retried = line_with("is tried again in ");
    EXPECT_EQ(retried.level, log_level::info);
    EXPECT_THAT(retried.fields, IsSupersetOf({Pair("consumer", "order-placed"), Pair("attempt", "1")}));
    billing->stop();
    for (const noted_line& line : lines.all()) {
        EXPECT_LE(line.level, log_level::info) << line.text;
    }
}

TEST_F(Logging, tells_which_scheduled_message_could_not_be_sent) {
    auto builder = logging_service("billing");
    const auto billing = started(*builder);
    const schedule_token token = billing->schedule_send(ship_order{"17"}, 1ms);
    const noted_line failed = line_with("could not be sent and is tried again in ");
    EXPECT_THAT(failed.fields, IsSupersetOf({Pair("message_id", token.id.to_string()),
                                             Pair("message_type", message_type::of<ship_order>().urn)}));
}

TEST_F(Logging, never_tells_what_is_in_a_message) {
    auto builder = logging_service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(1, 1ms).then_redeliver({1ms}); });
    builder->handle<order_placed>([](const order_placed&) { throw std::runtime_error{"declined"}; });
    const auto billing = started(*builder);
    billing->publish(order_placed{"a-secret-number"});
    inject("billing.order-placed", order(R"({"order_id":["a-secret-number"]})"));
    ASSERT_TRUE(testing::eventually([&] { return billing->counts().dead_lettered == 2; }));
    billing->stop();
    expect_no_line_with("a-secret-number");
}

TEST_F(Logging, never_tells_what_cannot_be_read_in_a_message) {
    auto builder = logging_service("billing");
    builder->handle<parcel_packed>([](const parcel_packed&) {});
    const auto billing = started(*builder);
    std::uint64_t dead = 0;
    for (const std::string body :
         {R"({"weight":"4711"})", R"({"weight":47110000000000})", R"({"weight":4711.5})", R"({"insured":4711})",
          R"({"size":"4711"})", R"({"id":"4711"})", R"({"packed_at":"4711"})",
          R"({"packed_at":"4711-01-01T00:00:00Z"})", R"({"prices":{"4711":"4711"}})", R"({"parts":{"4711x":1}})",
          R"({"label":{"4711":1}})", R"({"4711":01})"}) {
        envelope raw;
        raw.message_type = message_type::of<parcel_packed>().urn;
        raw.body = buffer{body};
        inject("billing.parcel-packed", raw);
        ASSERT_TRUE(testing::eventually([&] { return billing->counts().dead_lettered == dead + 1; })) << body;
        ++dead;
        EXPECT_THAT(billing->health().endpoints.at(0).last_error, AllOf(Not(""), Not(HasSubstr("4711")))) << body;
    }
    billing->stop();
    expect_no_line_with("4711");
}

} // namespace
} // namespace ferry::scenarios

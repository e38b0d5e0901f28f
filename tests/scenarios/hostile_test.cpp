#include "shop.hpp"

#include <ferry/exception_summary.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ferry::scenarios {
namespace {

/// A service that anybody may send anything to. It fails for an order without an id, tries again in five minutes, and
/// then gives up.
class Hostile : public shop {
protected:
    Hostile() { broker = std::make_shared<memory::broker>(memory::broker_options{}, clock{time}); }

    void SetUp() override {
        auto builder = service("billing");
        builder->clock(time).concurrency_limit(1).circuit_breaker({.enabled = false});
        builder->resilience([](exception_policy& policy) { policy.otherwise().redeliver({5min}); });
        builder->handle<order_placed>([this](const order_placed& order, consume_context& context) {
            calls.add(context.envelope());
            if (order.order_id.empty()) {
                throw std::runtime_error{"an order without an id"};
            }
        });
        builder->serve<print_label>([this](const print_label& label, consume_context& context) {
            calls.add(context.envelope());
            if (label.order_id.empty()) {
                throw std::runtime_error{"caf\xe9"};
            }
            return label_printed{label.order_id};
        });
        billing = started(*builder);
    }

    // Whatever came, the next messages are handled, and nothing goes round in circles.
    void TearDown() override {
        const std::size_t before = calls.all().size();
        billing->publish(order_placed{"18"});
        billing->send(print_label{"18"});
        EXPECT_TRUE(calls.reaches(before + 2));
        billing->stop();
        EXPECT_EQ(billing->counts().returned, 0U);
        EXPECT_EQ(broker->depth(orders), 0U);
        EXPECT_EQ(broker->depth("print-label"), 0U);
        EXPECT_EQ(broker->delayed(), 0U);
        billing.reset();
        broker.reset(); // while there is still a clock
    }

    [[nodiscard]] static envelope good_order() { return order(R"({"order_id":"17"})"); }
    [[nodiscard]] static envelope bad_order() { return order(R"({"order_id":""})"); }

    [[nodiscard]] static envelope request_to(const address& response, const std::string& body) {
        envelope raw;
        raw.kind = message_kind::request;
        raw.message_type = message_type::of<print_label>().urn;
        raw.response = response;
        raw.body = buffer{body};
        return raw;
    }

    /// What is in the queue once there are that many.
    [[nodiscard]] std::vector<envelope> arrivals(const std::string& queue, std::size_t count) {
        EXPECT_TRUE(testing::eventually([&] { return broker->depth(queue) >= count; })) << queue;
        auto all = broker->messages(queue);
        EXPECT_EQ(all.size(), count) << queue;
        all.resize(count);
        return all;
    }
    [[nodiscard]] envelope only_error() { return arrivals("billing.order-placed_error", 1)[0]; }

    void bring_back(std::size_t count) {
        ASSERT_TRUE(testing::eventually([&] { return broker->delayed() == count; }));
        time.advance(5min);
    }

    /// Sends two orders with these headers: the good one is handled with all of them, the bad one keeps them.
    void expect_carried(const headers& own) {
        envelope good = good_order();
        envelope bad = bad_order();
        good.headers = bad.headers = own;
        inject(orders, good);
        ASSERT_TRUE(calls.reaches(1));
        EXPECT_EQ(calls.all()[0].headers, own);
        inject(orders, bad);
        bring_back(1);
        const headers kept = only_error().headers;
        ASSERT_GT(kept.size(), own.size());
        EXPECT_TRUE(std::equal(own.begin(), own.end(), kept.begin()));
        EXPECT_EQ(kept.text("fault-message"), "an order without an id");
    }

    const std::string orders = "billing.order-placed";
    testing::manual_clock time;
    record<envelope> calls;
    record<exception_summary> told;
    std::unique_ptr<bus> billing;
};

TEST_F(Hostile, headers_of_ferrys_own_that_hold_nonsense_say_nothing) { // B34
    const std::vector<header_value> nonsense{{},
                                             true,
                                             1.5,
                                             header_value::bytes{std::byte{1}},
                                             header_value::array{1},
                                             headers{{"count", 1}},
                                             time.now(),
                                             -1,
                                             std::numeric_limits<std::int64_t>::min()};
    for (const header_value& each : nonsense) {
        envelope raw = bad_order();
        raw.headers = {{"delayed-retry-count", each}, {"earlier-attempts", each}, {"target-consumer", each}};
        inject(orders, raw);
    }
    bring_back(nonsense.size());
    for (const envelope& dead : arrivals("billing.order-placed_error", nonsense.size())) {
        EXPECT_EQ(*dead.headers.find("fault-attempts"), header_value{2});
        EXPECT_EQ(dead.headers.text("fault-consumer"), "order-placed");
    }
}

TEST_F(Hostile, counts_beyond_all_bounds_stay_counts) { // B34
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    envelope tried_often = bad_order();
    tried_often.headers = {{"earlier-attempts", most}};
    inject(orders, tried_often);
    bring_back(1);
    const header_value attempts = *only_error().headers.find("fault-attempts");
    EXPECT_GE(*attempts.as<std::int64_t>(), std::numeric_limits<int>::max());
    broker->purge("billing.order-placed_error");

    envelope back_often = bad_order();
    back_often.headers = {{"delayed-retry-count", most}};
    inject(orders, back_often);
    EXPECT_EQ(*only_error().headers.find("fault-attempts"), header_value{1}) << "its chances are used up";
}

TEST_F(Hostile, messages_for_a_consumer_that_is_not_here_are_skipped) { // B43
    for (const std::string& target :
         {std::string{"nobody"}, std::string{"order-placed\0", 13}, std::string(1 << 20, 'x')}) {
        envelope raw = good_order();
        raw.headers.set("target-consumer", target);
        inject(orders, raw);
        EXPECT_EQ(arrivals("billing.order-placed_skipped", 1)[0].headers, raw.headers);
        broker->purge("billing.order-placed_skipped");
    }
    EXPECT_TRUE(calls.all().empty());
}

TEST_F(Hostile, ten_thousand_headers_are_carried) { // B43
    headers many;
    for (int i = 0; i < 10'000; ++i) {
        header& added = many.append();
        added.name = "header-" + std::to_string(i);
        added.value = i;
    }
    expect_carried(many);
}

TEST_F(Hostile, a_header_of_a_mebibyte_is_carried) { // B43
    expect_carried({{"large", std::string(1 << 20, 'x')}, {std::string(1 << 20, 'n'), 1}});
}

TEST_F(Hostile, headers_with_nul_bytes_are_carried) { // B43
    const std::string nul{"a\0b", 3};
    expect_carried({{nul, nul}, {std::string(1, '\0'), headers{{nul, header_value::array{nul}}}}, {"", ""}});
}

TEST_F(Hostile, messages_without_a_type_are_skipped) { // B43
    envelope raw = good_order();
    raw.message_type.clear();
    inject(orders, raw);
    EXPECT_EQ(arrivals("billing.order-placed_skipped", 1)[0].body, raw.body);
}

TEST_F(Hostile, bodies_that_cannot_be_read_are_not_tried_again) { // B39
    envelope foreign = good_order();
    foreign.content_type = std::string{"application/\0xml", 16};
    for (const envelope& raw : {foreign, order(""), order(std::string(100, '\0')), order("\xff\xfe{}")}) {
        inject(orders, raw);
        const envelope dead = only_error();
        EXPECT_EQ(dead.body, raw.body);
        EXPECT_EQ(dead.headers.text("fault-exception-type"), "ferry::decode_error");
        EXPECT_NE(dead.headers.text("fault-message"), "");
        broker->purge("billing.order-placed_error");
    }
    EXPECT_TRUE(calls.all().empty());
}

TEST_F(Hostile, envelopes_that_cannot_be_read_are_kept_as_the_bytes_they_are) { // B39
    envelope raw = good_order();
    raw.kind = static_cast<message_kind>(99); // is packed all the same, and nobody can unpack it
    raw.destination = address::queue(orders);
    inject(orders, raw);
    const envelope dead = only_error();
    EXPECT_EQ(dead.body.view(), packed_envelope{raw}.bytes());
    EXPECT_EQ(dead.headers.text("fault-message"), "the envelope cannot be read: it has the unknown kind 99");
}

TEST_F(Hostile, faults_are_messages_like_any_other) { // B43
    envelope fault = bad_order();
    fault.kind = message_kind::fault;
    fault.headers = {{"fault-message", true}, {"fault-attempts", "many"}};
    inject(orders, fault);
    bring_back(1);
    const envelope dead = only_error();
    EXPECT_EQ(dead.headers.text("fault-message"), "an order without an id");
    EXPECT_EQ(*dead.headers.find("fault-attempts"), header_value{2});
}

TEST_F(Hostile, replies_that_nobody_waits_for_are_counted_and_dropped) { // B13
    (void)billing->request<label_printed>(print_label{"17"});
    const std::string replies = calls.all()[0].response.name;
    envelope garbage = order("garbage");
    garbage.correlation_id = calls.all()[0].correlation_id; // of a request that has its answer already
    envelope fault = garbage;
    fault.kind = message_kind::fault;
    envelope unreadable = garbage;
    unreadable.kind = static_cast<message_kind>(99);
    for (const envelope& raw : {envelope{}, garbage, fault, unreadable}) {
        inject(replies, raw);
    }
    EXPECT_TRUE(testing::eventually([&] { return billing->counts().late_replies == 4; }));
    EXPECT_EQ(broker->depth(replies), 0U);
}

TEST_F(Hostile, requests_that_fail_when_their_caller_is_gone_end_in_the_error_queue) { // B43
    inject("print-label", request_to(address::queue("gone"), "no json"));
    const envelope dead = arrivals("print-label_error", 1)[0];
    EXPECT_EQ(dead.body.view(), "no json");
    EXPECT_NE(dead.headers.text("fault-message"), "");
}

TEST_F(Hostile, requests_that_succeed_when_their_caller_is_gone_have_succeeded) { // B13
    inject("print-label", request_to(address::queue("gone"), R"({"order_id":"17"})"));
    ASSERT_TRUE(testing::eventually([&] { return billing->counts().handled == 1; }));
    EXPECT_EQ(billing->counts().late_replies, 1U);
    EXPECT_EQ(calls.all().size(), 1U) << "and their handler is not called again";
    EXPECT_EQ(broker->depth("print-label_error"), 0U);
}

TEST_F(Hostile, requests_that_want_their_answer_in_their_own_queue_do_not_go_round) { // B43
    for (const char* const body : {R"({"order_id":"17"})", "no json"}) {
        inject("print-label", request_to(address::queue("print-label"), body));
        EXPECT_EQ(arrivals("print-label_skipped", 1)[0].kind, message_kind::reply);
        broker->purge("print-label_skipped");
    }
}

TEST_F(Hostile, requests_that_fail_with_text_that_is_none_are_answered) { // B14
    billing->async_request<label_printed>(print_label{""},
                                          [this](const std::exception_ptr& failure, const label_printed&) {
                                              told.add(failure ? summary_of(failure) : exception_summary{"none", ""});
                                          });
    ASSERT_TRUE(told.reaches(1));
    EXPECT_EQ(told.all()[0].type, "ferry::remote_error");
    EXPECT_THAT(told.all()[0].text, ::testing::EndsWith(": caf?"));
}

} // namespace
} // namespace ferry::scenarios

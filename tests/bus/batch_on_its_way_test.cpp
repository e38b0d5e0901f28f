#include <batch_on_its_way.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ferry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A broker that answers when it is told to.
class slow_broker final : public transport {
public:
    [[nodiscard]] std::string_view name() const noexcept override { return "slow"; }
    void start(const transport_host&) override {}
    void stop() noexcept override {}
    [[nodiscard]] transport_health health() const override {
        return {.name = "slow", .connected = true, .last_error = {}};
    }
    void declare(const topology&) override {}
    void send(const envelope& message, send_callback on_outcome) override {
        seen.push_back(message.message_type);
        unanswered_.push_back(std::move(on_outcome));
    }
    [[nodiscard]] std::unique_ptr<subscription> consume(const std::string&, const consume_options&,
                                                        delivery_sink&) override {
        throw std::logic_error{"nobody consumes here"};
    }

    void confirm_all() {
        for (send_callback& each : std::exchange(unanswered_, {})) {
            each({.status = send_status::confirmed, .error = {}});
        }
    }
    std::vector<std::string> seen;

private:
    std::vector<send_callback> unanswered_;
};

class given_rows final : public outbox_batch {
public:
    explicit given_rows(std::vector<outbox_row> rows) : rows_{std::move(rows)} {}
    [[nodiscard]] std::span<const outbox_row> rows() const noexcept override { return rows_; }
    void finish(std::span<const row_outcome>) override {}

private:
    std::vector<outbox_row> rows_;
};

class BatchOnItsWay : public ::testing::Test {
protected:
    using order = batch_on_its_way::order;

    /// The rows are named after their numbers; those with a key in front of theirs.
    static outbox_row row(std::int64_t number, const std::string& key = "") {
        envelope message;
        message.message_type = key + std::to_string(number);
        return {.number = number, .content = packed_envelope{message}, .partition_key = key};
    }
    static batch_on_its_way batch(std::vector<outbox_row> rows, order how, std::vector<std::int64_t> in_hand = {}) {
        return {std::make_unique<given_rows>(std::move(rows)), how, in_hand};
    }
    bool send(batch_on_its_way& batch) {
        return batch.send(carrier, {}, [] {});
    }

    slow_broker broker;
    bus_counters counters;
    outbox_carrier carrier{.transport = broker, .declare = [](const envelope&) {}, .counters = counters};
    static row_result answer(std::exception_ptr failure) {
        row_result result;
        result.failure = std::move(failure);
        result.answered = true;
        return result;
    }
    const row_result confirmed = answer(nullptr);
    const row_result failed = answer(std::make_exception_ptr(transport_error{"no"}));
};

TEST_F(BatchOnItsWay, sends_the_rows_of_a_key_one_after_the_other) { // B59
    batch_on_its_way both = batch({row(1, "a"), row(2, "a"), row(3, "b")}, order::by_key);
    EXPECT_TRUE(send(both));
    EXPECT_THAT(broker.seen, ElementsAre("a1", "b3"));
    broker.confirm_all();
    EXPECT_TRUE(send(both));
    EXPECT_THAT(broker.seen, ElementsAre("a1", "b3", "a2"));
    broker.confirm_all();
    EXPECT_FALSE(send(both));
}

TEST_F(BatchOnItsWay, does_not_send_what_is_in_hand) { // B58
    batch_on_its_way held = batch({row(1), row(2)}, order::none, {1});
    EXPECT_TRUE(send(held));
    EXPECT_THAT(broker.seen, ElementsAre("2"));
}

TEST_F(BatchOnItsWay, does_not_send_what_was_in_hand_and_is_answered_before_anything_left) { // B58
    batch_on_its_way held = batch({row(1)}, order::none, {1});
    EXPECT_TRUE(held.hears_of(1, confirmed));
    EXPECT_FALSE(send(held));
    EXPECT_THAT(broker.seen, IsEmpty());
}

TEST_F(BatchOnItsWay, goes_on_behind_a_row_of_a_key_that_was_in_hand) { // B58 B59
    batch_on_its_way held = batch({row(1, "a"), row(2, "a"), row(3, "b")}, order::by_key, {1});
    EXPECT_TRUE(send(held));
    EXPECT_THAT(broker.seen, ElementsAre("b3"));
    EXPECT_TRUE(held.hears_of(1, confirmed));
    broker.confirm_all();
    EXPECT_TRUE(send(held));
    EXPECT_THAT(broker.seen, ElementsAre("b3", "a2")) << "the first was confirmed, and is not sent again";
}

TEST_F(BatchOnItsWay, stops_at_a_row_of_a_key_that_was_in_hand_and_failed) { // B59
    batch_on_its_way held = batch({row(1, "a"), row(2, "a")}, order::by_key, {1});
    EXPECT_TRUE(held.hears_of(1, failed));
    EXPECT_FALSE(send(held));
    EXPECT_THAT(broker.seen, IsEmpty());
}

} // namespace
} // namespace ferry

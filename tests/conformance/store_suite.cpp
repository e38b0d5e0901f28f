#include "store_suite.hpp"

#include <array>
#include <span>
#include <stdexcept>
#include <utility>

namespace ferry::testing {

// A program may hold the suite without a store; whoever links it brings one.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreSuite);

StoreSuite::StoreSuite() : harness_{GetParam().make_harness()}, shop_{a_started_store()} {
    if (harness_->can_be_shared()) {
        peer_ = a_started_store();
    }
}

StoreSuite::~StoreSuite() {
    if (peer_) {
        peer_->stop();
    }
    shop_->stop();
}

std::unique_ptr<store> StoreSuite::a_started_store() {
    std::unique_ptr<store> made = harness_->make_store();
    made->ensure_schema();
    made->start({.slots = 4});
    return made;
}

std::vector<std::int64_t> StoreSuite::commit(std::vector<stored_message> outgoing) {
    const auto work = shop().work();
    for (stored_message& each : outgoing) {
        work->append(std::move(each));
    }
    return work->commit();
}

void StoreSuite::commit_scheduled(std::vector<stored_message> scheduled) {
    const auto work = shop().work();
    for (stored_message& each : scheduled) {
        work->schedule(std::move(each));
    }
    work->commit();
}

std::int64_t StoreSuite::commit_dead(stored_message message, std::string_view error) {
    const std::int64_t number = commit({std::move(message)}).front();
    const row_outcome outcome{.number = number, .fate = row_fate::dead, .error = std::string{error}};
    shop().finish({&outcome, 1});
    return number;
}

bool StoreSuite::claims(store& where, const uuid& message, std::string_view consumer) {
    const auto work = where.work();
    const inbox_claim claim{message, consumer};
    bool fresh = false;
    work->claim({&claim, 1}, noon, {&fresh, 1});
    work->commit();
    return fresh;
}

std::vector<std::string> StoreSuite::due(time_point now) { return bodies_of(*shop().take(100, now, 0)); }

std::vector<std::string> StoreSuite::due_in_shard_of(std::string_view key, time_point now) {
    const auto batch = shop().take_shard(shard_of(key).value(), 100, now);
    return batch ? bodies_of(*batch) : throw std::logic_error{"the shard is taken"};
}

uuid an_id(std::uint8_t seed) {
    std::array<std::uint8_t, 16> bytes{};
    bytes.fill(seed);
    return uuid{bytes};
}

envelope an_order(std::string_view body) {
    static id_source ids;
    envelope message;
    message.message_id = ids.next(noon);
    message.message_type = "urn:message:shop:order-placed";
    message.content_type = "application/json";
    message.destination = address::exchange("shop.order-placed");
    message.body.assign(body);
    return message;
}

stored_message a_row(std::string_view body) { return a_row_due(body, noon); }

stored_message a_row_due(std::string_view body, time_point due) {
    return stored_message::of(an_order(body), noon, due);
}

stored_message a_keyed_row(std::string_view body, std::string_view key) {
    envelope message = an_order(body);
    message.partition_key = key;
    return stored_message::of(message, noon, noon);
}

envelope unpacked(const packed_envelope& content) {
    envelope message;
    content.unpack(message);
    return message;
}

std::vector<std::string> bodies_of(const outbox_batch& batch) {
    std::vector<std::string> bodies;
    for (const outbox_row& each : batch.rows()) {
        bodies.emplace_back(unpacked(each.content).body.view());
    }
    return bodies;
}

std::vector<std::int64_t> numbers_of(const outbox_batch& batch) {
    std::vector<std::int64_t> numbers;
    for (const outbox_row& each : batch.rows()) {
        numbers.push_back(each.number);
    }
    return numbers;
}

} // namespace ferry::testing

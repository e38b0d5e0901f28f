#include "store_around.hpp"
#include "stored_shop.hpp"

#include <atomic>
#include <latch>
#include <map>
#include <thread>

namespace ferry::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A store whose relay fails when the test says so; remembers which rows were taken.
class failing_store final : public store_around {
public:
    using store_around::store_around;

    [[nodiscard]] std::unique_ptr<outbox_batch> take(std::size_t most, time_point now, std::int64_t after) override {
        ++looks;
        if (fails_to_take) {
            throw store_error{"too many clients already"};
        }
        auto batch = store_around::take(most, now, after);
        for (const outbox_row& each : batch->rows()) {
            taken.add(each.number);
        }
        return batch;
    }
    [[nodiscard]] std::vector<int> shards_due(time_point now) override {
        if (fails_once.exchange(false)) {
            throw store_error{"canceling statement due to statement timeout"};
        }
        return store_around::shards_due(now);
    }

    record<std::int64_t> taken;
    std::atomic<int> looks{0};
    std::atomic<bool> fails_to_take{false};
    std::atomic<bool> fails_once{false};
};

/// A store that hears of other processes when the test says so; counts what its relay looks for.
class told_store final : public store_around {
public:
    using store_around::store_around;
    void start(const store_host& host) override {
        tell = host.rows_arrived;
        store_around::start(host);
    }
    [[nodiscard]] std::unique_ptr<outbox_batch> take(std::size_t most, time_point now, std::int64_t after) override {
        ++looks;
        return store_around::take(most, now, after);
    }
    std::size_t promote_due(std::size_t most, time_point now) override {
        ++promotions;
        return store_around::promote_due(most, now);
    }

    std::function<void()> tell;
    std::atomic<int> looks{0};
    std::atomic<int> promotions{0};
};

/// A store that takes its time to say which rows are dead.
class slow_store final : public store_around {
public:
    using store_around::store_around;
    [[nodiscard]] std::vector<dead_message> dead(const dead_filter& which) override {
        asked.count_down();
        answer.wait();
        auto found = store_around::dead(which);
        answered = true;
        return found;
    }
    void stop() noexcept override {
        stopped_too_soon = !answered;
        store_around::stop();
    }

    std::latch asked{1};
    std::latch answer{1};
    std::atomic<bool> answered{false};
    std::atomic<bool> stopped_too_soon{false};
};

/// A transport in which everything waits behind what nobody confirms, until there is room.
class crowded_transport final : public transport {
public:
    crowded_transport(const std::shared_ptr<memory::broker>& broker, std::atomic<bool>& has_room)
        : carrier_{broker}, has_room_{has_room} {}

    [[nodiscard]] std::string_view name() const noexcept override { return carrier_.name(); }
    void start(const transport_host& host) override { carrier_.start(host); }
    void stop() noexcept override { carrier_.stop(); }
    [[nodiscard]] transport_health health() const override { return carrier_.health(); }
    void declare(const topology& wanted) override { carrier_.declare(wanted); }
    void send(const envelope& message, send_callback on_outcome) override {
        if (has_room_) {
            return carrier_.send(message, std::move(on_outcome));
        }
        if (refuses_.exchange(!refuses_)) {
            throw transport_error{"1000 messages wait already"};
        }
        on_outcome({.status = send_status::failed,
                    .error = std::make_exception_ptr(transport_error{"could not be sent in time"}),
                    .never_left = true});
    }
    [[nodiscard]] std::unique_ptr<subscription> consume(const std::string& queue, const consume_options& options,
                                                        delivery_sink& sink) override {
        return carrier_.consume(queue, options, sink);
    }

private:
    memory::transport carrier_;
    std::atomic<bool>& has_room_;
    std::atomic<bool> refuses_{false};
};

class Outbox : public stored_shop {
protected:
    ~Outbox() override { broker.reset(); } // its clock may go next

    /// A service that hears of invoices, without a store of its own.
    [[nodiscard]] std::unique_ptr<bus> audit() {
        auto builder = shop::service("audit");
        builder->handle<invoice_created>([this](const invoice_created& invoice) { heard.add(invoice.order_id); });
        return started(*builder);
    }
    [[nodiscard]] static bool sent_everything(bus& from) {
        return testing::eventually([&] { return from.outbox().counts().pending == 0; });
    }

    /// Gives a service such a store, on the clock of the test.
    failing_store& failing(bus_builder& builder) {
        auto own = std::make_unique<failing_store>(std::make_unique<sqlite::store>(file));
        failing_store& store = *own;
        builder.clock(time);
        builder.persistence(std::move(own));
        return store;
    }

    /// From now on there is a queue for orders to ship, with room for one message, which is there.
    void fill_the_queue_of_ship_order() {
        broker = std::make_shared<memory::broker>(memory::broker_options{.max_queue_messages = 1}, clock{time});
        auto shipper = shop::service("shipping");
        shipper->serve<ship_order>([](const ship_order&) {});
        const auto shipping = started(*shipper);
        shipping->stop();
        auto customer = shop::service("customer");
        started(*customer)->send(ship_order{"fills the queue"});
    }
    [[nodiscard]] std::unique_ptr<bus> shipping() {
        auto shipper = shop::service("shipping");
        shipper->concurrency_limit(1); // so that what it has seen is in the order of its queue
        shipper->serve<ship_order>([this](const ship_order& order) { shipped.add(order.order_id); });
        return started(*shipper);
    }
    /// A send waits for room in its queue, relay and cleanup have done what there was to do.
    void await_rest() { time.await_waiters(3); }
    /// Two keys, of which the first is sent first.
    [[nodiscard]] static std::pair<std::string, std::string> keys_of_two_shards() {
        std::map<int, std::string> keys;
        for (int i = 0; keys.size() < 2; ++i) {
            keys.try_emplace(*shard_of(std::to_string(i)), std::to_string(i));
        }
        return {keys.begin()->second, keys.rbegin()->second};
    }

    record<std::string> heard;
    record<std::string> shipped;
};

/// A store that cannot say how many rows it has.
class uncountable_store final : public store_around {
public:
    using store_around::store_around;
    [[nodiscard]] store_counts count() override { throw store_error{"canceling statement due to statement timeout"}; }
};

TEST_F(Outbox, lets_what_a_handler_publishes_leave_with_what_it_writes) { // B50 B51
    const auto auditing = audit();
    auto builder = timed_service("billing");
    builder->handle<order_placed>([](const order_placed& order, consume_context& context) {
        write_invoice(context, order.order_id);
        context.publish(invoice_created{order.order_id});
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"1"});
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_THAT(invoices(), ElementsAre("1"));
    EXPECT_TRUE(sent_everything(*billing)) << "though the clock stands still: the commit woke the relay";
    EXPECT_TRUE(testing::eventually([&] { return billing->counts().outbox_sent == 2U; })); // told after the row is gone
}

TEST_F(Outbox, sends_nothing_of_a_handler_that_throws) { // B50 B33
    const auto auditing = audit();
    auto builder = service("billing");
    builder->resilience([](exception_policy& policy) { policy.otherwise().retry(1, 1ms); });
    builder->handle<order_placed>([](const order_placed& order, consume_context& context) {
        write_invoice(context, order.order_id + (context.attempt().retry == 0 ? " lost" : ""));
        context.publish(invoice_created{order.order_id + (context.attempt().retry == 0 ? " lost" : "")});
        if (context.attempt().retry == 0) {
            throw std::runtime_error{"not yet"};
        }
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"1"});
    ASSERT_TRUE(heard.reaches(1));
    EXPECT_TRUE(sent_everything(*billing));
    EXPECT_THAT(heard.all(), ElementsAre("1"));
    EXPECT_THAT(invoices(), ElementsAre("1"));
}

TEST_F(Outbox, writes_in_an_applications_own_transaction) { // B65 B51
    const auto auditing = audit();
    auto builder = service("shop");
    const auto selling = started(*builder);
    const connection database = own();
    exec(*database, "begin immediate");
    exec(*database, "insert into invoices values ('1')");
    selling->outbox().publish(*database, invoice_created{"1"});
    exec(*database, "commit");
    EXPECT_TRUE(heard.reaches(1)) << "nobody was told: the relay looks after rows that are about to come";
    exec(*database, "begin immediate");
    selling->outbox().publish(*database, invoice_created{"2"});
    exec(*database, "rollback");
    exec(*database, "begin immediate");
    selling->outbox().publish(*database, invoice_created{"3"});
    exec(*database, "commit");
    selling->outbox().wake();
    EXPECT_TRUE(heard.reaches(2));
    EXPECT_THAT(heard.all(), ElementsAre("1", "3"));
}

TEST_F(Outbox, looks_at_the_schedule_now_and_then_while_others_commit_all_the_time) { // B51 B80
    auto own = std::make_unique<told_store>(std::make_unique<sqlite::store>(file));
    told_store& store = *own;
    auto builder = shop::service("shop");
    builder->clock(time);
    builder->persistence(std::move(own));
    const auto selling = started(*builder);
    time.await_waiters(2); // it has looked, and so has the cleanup
    const int before = store.promotions;
    const auto hear_of_others = [&] {
        const int looks = store.looks;
        store.tell();
        return testing::eventually([&] { return store.looks > looks; });
    };
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(hear_of_others());
    }
    EXPECT_EQ(store.promotions, before);
    time.advance(500ms);
    ASSERT_TRUE(hear_of_others());
    EXPECT_EQ(store.promotions, before + 1);
}

TEST_F(Outbox, says_when_there_is_none) {
    auto builder = shop::service("shop");
    const auto selling = started(*builder);
    EXPECT_THROW((void)selling->outbox().counts(), error);
}

TEST_F(Outbox, keeps_the_row_of_a_message_that_finds_no_queue_until_it_is_dead_and_replays_it) { // B52 B53 B54
    watched<std::vector<dead_message>> told;
    persistence_options options;
    options.relay.attempts = 3;
    options.relay.on_dead = [&](const dead_message& dead) {
        told.change([&](auto& all) { all.push_back(dead); });
        throw std::runtime_error{"nobody is interested"};
    };
    auto builder = timed_service("shop", options);
    const auto selling = started(*builder);
    const auto auditing = audit();
    selling->send(ship_order{"1"});
    selling->publish(invoice_created{"2"});
    EXPECT_TRUE(heard.reaches(1)) << "one bad row does not hold up the others";
    for (const std::uint64_t attempts : {1U, 2U}) {
        ASSERT_TRUE(testing::eventually([&] { return selling->counts().outbox_failed == attempts; }));
        EXPECT_TRUE(testing::eventually([&] { return selling->outbox().counts().pending == 1; })) << "the bad one";
        time.advance(10min);
    }
    ASSERT_TRUE(told.eventually([](const auto& all) { return !all.empty(); }));
    const auto dead = selling->outbox().dead();
    ASSERT_THAT(dead, SizeIs(1));
    EXPECT_EQ(dead[0].attempts, 3);
    EXPECT_EQ(dead[0].destination, "queue:ship-order");
    EXPECT_THAT(dead[0].error, HasSubstr("there is no queue:ship-order"));
    EXPECT_EQ(told.get()[0].number, dead[0].number);
    EXPECT_TRUE(log.eventually_contains([](const std::string& line) { return line.contains("nobody is interested"); }));

    auto shipper = shop::service("shipping");
    shipper->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    const auto shipping = started(*shipper);
    EXPECT_TRUE(selling->outbox().replay(dead[0].number));
    EXPECT_FALSE(selling->outbox().replay(dead[0].number));
    EXPECT_TRUE(shipped.reaches(1));
    EXPECT_TRUE(sent_everything(*selling));
}

TEST_F(Outbox, keeps_a_row_it_cannot_read_and_tells_of_it) { // B54 B53
    watched<std::vector<dead_message>> told;
    persistence_options options;
    options.relay.on_dead = [&](const dead_message& dead) { told.change([&](auto& all) { all.push_back(dead); }); };
    const auto auditing = audit();
    auto builder = timed_service("shop", options);
    const auto selling = started(*builder);
    exec(*own(), "insert into ferry_outbox (id, destination, message_type, partition_key, tenant, content, due, "
                 "created_at) values (zeroblob(16), 'queue:ship-order', 'urn:message:ship-order', '', '', "
                 "x'00112233', 0, 0)");
    selling->publish(invoice_created{"1"});
    EXPECT_TRUE(heard.reaches(1)) << "others leave all the same";
    ASSERT_TRUE(told.eventually([](const auto& all) { return !all.empty(); }));
    const auto dead = selling->outbox().dead();
    ASSERT_THAT(dead, SizeIs(1));
    EXPECT_EQ(dead[0].destination, "queue:ship-order");
    EXPECT_EQ(dead[0].attempts, 1) << "no other attempt could succeed";
    EXPECT_EQ(dead[0].content.bytes(), std::string_view("\x00\x11\x22\x33", 4));
    EXPECT_EQ(told.get()[0].number, dead[0].number);
    EXPECT_EQ(told.get()[0].error, dead[0].error);
    EXPECT_EQ(told.get()[0].content.bytes(), dead[0].content.bytes());
}

TEST_F(Outbox, finds_rows_nobody_told_of_when_it_polls) { // B51 B58
    const auto auditing = audit();
    auto builder = timed_service("shop");
    const auto selling = started(*builder);
    ASSERT_TRUE(sent_everything(*selling));
    { // the rows of an instance that died before it could send them
        const connection database = own();
        exec(*database, "begin immediate");
        selling->outbox().publish(*database, invoice_created{"1"});
        exec(*database, "commit");
    }
    time.advance(5s);
    EXPECT_TRUE(heard.reaches(1));
}

TEST_F(Outbox, sends_rows_with_one_key_in_their_order_whatever_fails) { // B59
    persistence_options options;
    options.relay.batch = 4;
    auto builder = timed_service("shop", options);
    const auto selling = started(*builder);
    const dispatch_options same_order{.partition_key = "order 17"};
    for (const char* id : {"1", "2", "3"}) {
        selling->send(ship_order{id}, same_order); // there is no queue yet
    }
    ASSERT_TRUE(testing::eventually([&] { return selling->counts().outbox_failed == 1; }));
    auto shipper = shop::service("shipping");
    shipper->concurrency_limit(1).serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    const auto shipping = started(*shipper);
    selling->send(ship_order{"4"}, same_order);
    selling->send(ship_order{"other"}, {.partition_key = "order 18"});
    EXPECT_TRUE(shipped.reaches(1)) << "another key does not wait";
    EXPECT_THAT(shipped.all(), ElementsAre("other"));
    time.advance(10min);
    EXPECT_TRUE(shipped.reaches(5));
    EXPECT_THAT(shipped.all(), ElementsAre("other", "1", "2", "3", "4"));
}

TEST_F(Outbox, lets_others_leave_while_one_queue_says_nothing) { // B53
    fill_the_queue_of_ship_order();
    const auto auditing = audit();
    auto builder = timed_service("shop", {.relay = {.batch = 1}});
    const auto selling = started(*builder);
    for (const char* id : {"1", "2", "3"}) {
        selling->send(ship_order{id});
    }
    await_rest(); // all of them are on their way
    selling->publish(invoice_created{"another"});
    await_rest();
    time.advance(2s);
    EXPECT_TRUE(heard.reaches(1)) << "three batches wait for an answer, and this row is in none of them";
    EXPECT_EQ(selling->counts().outbox_failed, 0U);
    const auto running = shipping();
    EXPECT_TRUE(shipped.reaches(4));
    EXPECT_TRUE(sent_everything(*selling));
    EXPECT_THAT(shipped.all(), SizeIs(4)) << "none of them was sent twice";
    EXPECT_EQ(selling->counts().outbox_failed, 0U);
    EXPECT_TRUE(testing::eventually([&] { return selling->counts().outbox_sent == 4U; })); // told after the row is gone
}

TEST_F(Outbox, lets_other_keys_leave_while_one_queue_says_nothing) { // B53 B59
    fill_the_queue_of_ship_order();
    const auto auditing = audit();
    auto builder = timed_service("shop");
    const auto selling = started(*builder);
    const auto [silent, lively] = keys_of_two_shards();
    selling->send(ship_order{"1"}, {.partition_key = silent});
    selling->send(ship_order{"2"}, {.partition_key = silent});
    selling->publish(invoice_created{"another"}, {.partition_key = lively});
    await_rest();
    time.advance(2s);
    EXPECT_TRUE(heard.reaches(1));
    const auto running = shipping();
    ASSERT_TRUE(shipped.reaches(3));
    EXPECT_THAT(shipped.all(), ElementsAre("fills the queue", "1", "2"));
    EXPECT_TRUE(sent_everything(*selling));
}

TEST_F(Outbox, counts_no_attempt_of_what_had_no_room_to_leave) { // B53
    const auto auditing = audit();
    std::atomic<bool> has_room = false;
    auto builder = timed_service("shop", {.relay = {.attempts = 1}});
    builder->transport(std::make_unique<crowded_transport>(broker, has_room));
    const auto selling = started(*builder);
    selling->publish(invoice_created{"1"});
    selling->publish(invoice_created{"2"});
    ASSERT_TRUE(testing::eventually(
        [&] { return column("select number from ferry_outbox where due > created_at").size() == 2; }));
    EXPECT_TRUE(testing::eventually([&] { return selling->health().outbox->last_error.contains("wait already"); }));
    EXPECT_EQ(selling->counts().outbox_failed, 0U);
    has_room = true;
    time.await_waiters(2);
    time.advance(2s);
    EXPECT_TRUE(heard.reaches(2));
    EXPECT_EQ(selling->outbox().counts().dead, 0U);
}

TEST_F(Outbox, keeps_the_locks_of_what_is_on_its_way_when_the_database_fails_elsewhere) { // B53 B55
    fill_the_queue_of_ship_order();
    const auto auditing = audit();
    auto builder = shop::service("shop");
    failing_store& store = failing(*builder);
    const auto selling = started(*builder);
    selling->send(ship_order{"1"});
    await_rest(); // it is on its way
    store.fails_once = true;
    selling->publish(invoice_created{"another"}, {.partition_key = "a"});
    ASSERT_TRUE(log.eventually_contains([](const std::string& line) { return line.contains("waits"); }));
    await_rest();
    time.advance(1s);
    ASSERT_TRUE(heard.reaches(1));
    EXPECT_THAT(store.taken.all(), SizeIs(1)) << "its row was not let go of, and not taken once more";
}

TEST_F(Outbox, does_not_look_again_for_every_commit_while_its_database_fails) { // B55
    const auto auditing = audit();
    auto builder = shop::service("shop");
    failing_store& store = failing(*builder);
    const auto selling = started(*builder);
    time.await_waiters(2); // relay and cleanup
    store.fails_to_take = true;
    const int before = store.looks;
    for (int i = 0; i < 100; ++i) {
        selling->publish(invoice_created{std::to_string(i)});
    }
    ASSERT_TRUE(log.eventually_contains([](const std::string& line) { return line.contains("too many clients"); }));
    EXPECT_EQ(store.looks, before + 1);
    store.fails_to_take = false;
    time.await_waiters(2);
    time.advance(1s);
    EXPECT_TRUE(heard.reaches(100));
}

TEST_F(Outbox, finds_rows_in_a_moment_while_others_are_announced_all_the_time) { // B65 B51
    const auto auditing = audit();
    auto builder = timed_service("shop");
    const auto selling = started(*builder);
    const connection database = own();
    const auto publish = [&](const std::string& order_id) {
        exec(*database, "begin immediate");
        selling->outbox().publish(*database, invoice_created{order_id});
        exec(*database, "commit");
        time.await_waiters(2); // relay and cleanup: it has heard of it
        time.advance(600us);
    };
    publish("1");
    publish("2");
    EXPECT_TRUE(heard.reaches(2));
}

TEST_F(Outbox, sends_on_when_its_rows_cannot_be_counted) { // B52 B67
    const auto auditing = audit();
    auto builder = shop::service("shop");
    builder->persistence(std::make_unique<uncountable_store>(std::make_unique<sqlite::store>(file)));
    const auto selling = started(*builder);
    selling->publish(invoice_created{"1"});
    selling->publish(invoice_created{"2"}, {.partition_key = "a"});
    EXPECT_TRUE(heard.reaches(2));
    EXPECT_TRUE(testing::eventually([&] { return column("select number from ferry_outbox").empty(); }));
    EXPECT_TRUE(log.eventually_contains([](const std::string& line) { return line.contains("could not be counted"); }));
}

TEST_F(Outbox, is_passed_by_what_leaves_at_once_and_by_requests) { // B61
    auto labels = shop::service("labels");
    labels->serve<print_label>([](const print_label& order) { return label_printed{"label " + order.order_id}; });
    const auto printing = started(*labels);
    const auto auditing = audit();
    auto builder = timed_service("billing");
    builder->handle<order_placed>([](const order_placed& order, consume_context& context) {
        context.publish(invoice_created{context.request<label_printed>(print_label{order.order_id}).label},
                        ferry::immediate);
        throw std::runtime_error{"too late"};
    });
    const auto billing = started(*builder);
    billing->publish(order_placed{"1"}, ferry::immediate);
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_THAT(heard.all(), ElementsAre("label 1"));
    EXPECT_TRUE(testing::eventually([&] { return billing->counts().dead_lettered == 1; }));
    EXPECT_EQ(billing->counts().outbox_sent, 0U);
}

TEST_F(Outbox, is_passed_by_the_failure_a_caller_is_told_of) { // B43 B61
    auto builder = service("labels");
    builder->serve<print_label>([](const print_label&) -> label_printed { throw std::runtime_error{"no paper"}; });
    const auto labels = started(*builder);
    envelope request;
    request.kind = message_kind::request;
    request.message_type = message_type::of<print_label>().urn;
    request.response = address::queue("gone");
    request.body = buffer{R"({"order_id":"17"})"};
    inject("print-label", request);
    EXPECT_TRUE(testing::eventually([&] { return broker->depth("print-label_error") == 1; }));
    EXPECT_TRUE(log.eventually_contains([](const std::string& line) {
        return line.contains("went to print-label_error: std::runtime_error: no paper");
    }));
    EXPECT_THROW((void)labels->request<label_printed>(print_label{"18"}), remote_error);
}

TEST_F(Outbox, sends_from_memory_right_after_the_commit) { // B62
    const auto auditing = audit();
    persistence_options options;
    options.relay.publish_immediately = true;
    auto builder = timed_service("shop", options);
    const auto selling = started(*builder);
    selling->publish(invoice_created{"1"});
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_TRUE(sent_everything(*selling));
    selling->send(ship_order{"1"}); // nobody takes it
    ASSERT_TRUE(testing::eventually([&] { return selling->counts().outbox_failed == 1; }));
    auto shipper = shop::service("shipping");
    shipper->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    const auto shipping = started(*shipper);
    time.advance(10s);
    EXPECT_TRUE(shipped.reaches(1)) << "the relay has taken over";
    EXPECT_TRUE(sent_everything(*selling));
}

TEST_F(Outbox, tells_of_a_row_that_dies_from_memory) { // B54 B62
    watched<std::vector<dead_message>> told;
    persistence_options options;
    options.relay.publish_immediately = true;
    options.relay.attempts = 1;
    options.relay.on_dead = [&](const dead_message& dead) { told.change([&](auto& all) { all.push_back(dead); }); };
    auto builder = timed_service("shop", options);
    const auto selling = started(*builder);
    selling->send(ship_order{"1"});
    ASSERT_TRUE(told.eventually([](const auto& all) { return all.size() == 1; }));
    EXPECT_EQ(told.get()[0].destination, "queue:ship-order");
    EXPECT_EQ(selling->counts().outbox_failed, 1U);
    EXPECT_THAT(selling->health().outbox->last_error, HasSubstr("there is no queue:ship-order"));
    EXPECT_TRUE(log.eventually_contains([](const std::string& line) { return line.contains("is given up after 1"); }));
}

TEST_F(Outbox, leaves_no_row_behind_that_was_confirmed_when_it_stops) { // B57 B62
    fill_the_queue_of_ship_order();
    persistence_options options;
    options.relay.publish_immediately = true;
    auto builder = timed_service("shop", options);
    const auto selling = started(*builder);
    selling->send(ship_order{"1"}); // from memory; the queue has no room for it
    std::jthread stopping{[&] { selling->stop(); }};
    ASSERT_TRUE(testing::eventually([&] { return !selling->health().running; }));
    const auto running = shipping();
    stopping.join();
    EXPECT_TRUE(shipped.reaches(2));
    EXPECT_THAT(column("select number from ferry_outbox"), IsEmpty());
}

TEST_F(Outbox, wants_a_tenant_where_one_is_required) { // B63
    const auto auditing = audit();
    auto builder = service("shop", {.tenant_required = true});
    const auto selling = started(*builder);
    EXPECT_THROW(selling->publish(invoice_created{"1"}), error);
    EXPECT_THROW((void)selling->schedule_publish(invoice_created{"1"}, 1h), error);
    EXPECT_NO_THROW(selling->publish(invoice_created{"2"}, {.tenant = "north"}));
    EXPECT_TRUE(heard.reaches(1));
    EXPECT_THAT(heard.all(), ElementsAre("2"));
}

TEST_F(Outbox, stamps_rows_with_their_tenant) { // B63
    auto builder = timed_service("shop", {.relay = {.attempts = 1}});
    const auto selling = started(*builder);
    selling->send(ship_order{"1"}, {.tenant = "north"});
    ASSERT_TRUE(testing::eventually([&] { return selling->outbox().counts().dead == 1; }));
    EXPECT_THAT(selling->outbox().dead({.tenant = "north"}), SizeIs(1));
    EXPECT_THAT(selling->outbox().dead({.tenant = "south"}), IsEmpty());
}

TEST_F(Outbox, refuses_a_body_above_its_limit_and_writes_nothing) { // B64
    auto builder = service("shop", {.largest_body = 100});
    const auto selling = started(*builder);
    try {
        selling->publish(invoice_created{std::string(200, 'x')});
        FAIL() << "was published";
    } catch (const error& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("100 at most"));
    }
    EXPECT_EQ(selling->outbox().counts().pending, 0U);
}

TEST_F(Outbox, shows_in_health_and_counts) { // B67
    auto builder = timed_service("shop", {.relay = {.attempts = 1}});
    const auto selling = started(*builder);
    EXPECT_TRUE(testing::eventually([&] { return selling->health().healthy(); }));
    selling->send(ship_order{"1"});
    ASSERT_TRUE(testing::eventually([&] { return selling->outbox().counts().dead == 1; }));
    time.advance(6s);
    EXPECT_TRUE(testing::eventually([&] { return !selling->health().healthy(); }));
    const auto health = selling->health();
    EXPECT_EQ(health.outbox->dead, 1U);
    EXPECT_THAT(health.outbox->last_error, HasSubstr("there is no queue:ship-order"));
    EXPECT_THAT(health.text(), HasSubstr("outbox: 0 pending, 1 dead"));
}

TEST_F(Outbox, forgets_dead_rows_only_when_told_to) { // B66
    auto builder = timed_service("shop", {.relay = {.attempts = 1}, .forget_dead_after = 24h});
    const auto selling = started(*builder);
    selling->send(ship_order{"1"});
    ASSERT_TRUE(testing::eventually([&] { return selling->outbox().counts().dead == 1; }));
    time.advance(1h);
    time.advance(25h);
    EXPECT_TRUE(testing::eventually([&] { return selling->outbox().counts().dead == 0; }));
}

TEST_F(Outbox, keeps_dead_rows_for_ever_when_it_is_told_nothing) { // B66
    auto builder = timed_service("shop", {.relay = {.attempts = 1}});
    const auto selling = started(*builder);
    selling->send(ship_order{"1"});
    ASSERT_TRUE(testing::eventually([&] { return selling->outbox().counts().dead == 1; }));
    for (int day = 0; day < 400; day += 100) {
        time.await_waiters(2); // relay and cleanup
        time.advance(100 * 24h);
    }
    time.await_waiters(2);
    EXPECT_EQ(selling->outbox().counts().dead, 1U);
}

TEST_F(Outbox, keeps_what_was_not_sent_for_the_next_start) { // B58 B76
    {
        auto builder = service("shop");
        auto selling = started(*builder);
        selling->send(ship_order{"1"}); // nobody takes it yet
        ASSERT_TRUE(testing::eventually([&] { return selling->counts().outbox_failed == 1; }));
    }
    auto builder = timed_service("shop"); // much later: its clock begins in 2030
    builder->serve<ship_order>([&](const ship_order& order) { shipped.add(order.order_id); });
    const auto selling = started(*builder);
    EXPECT_TRUE(shipped.reaches(1));
}

TEST_F(Outbox, is_not_taken_away_from_whoever_asks_it_something) { // B94
    auto builder = shop::service("shop");
    auto own = std::make_unique<slow_store>(std::make_unique<sqlite::store>(file));
    slow_store& store = *own;
    builder->persistence(std::move(own));
    const auto selling = started(*builder);
    const std::jthread asking{[&] { EXPECT_THAT(selling->outbox().dead(), IsEmpty()); }};
    store.asked.wait();
    std::jthread stopping{[&] { selling->stop(); }};
    ASSERT_TRUE(testing::eventually([&] {
        try {
            selling->publish(invoice_created{"1"});
            return false;
        } catch (const not_running&) {
            return true;
        }
    }));
    EXPECT_THROW((void)selling->outbox().counts(), not_running);
    store.answer.count_down();
    stopping.join();
    EXPECT_FALSE(store.stopped_too_soon);
}

TEST_F(Outbox, refuses_options_that_cannot_work) { // B9
    auto builder = service("shop", {.relay = {.poll_interval = 0s, .batch = 0, .attempts = 0}});
    try {
        (void)builder->build();
        FAIL() << "was built";
    } catch (const build_error& wrong) {
        EXPECT_THAT(wrong.problems(), SizeIs(3));
    }
}

} // namespace
} // namespace ferry::scenarios

#include "store_suite.hpp"

#include <latch>
#include <thread>

namespace ferry::testing {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// What `start` says of the schema; empty when it is content.
std::string complaint_of(store& each) {
    try {
        each.start({});
        each.stop();
    } catch (const schema_error& refused) {
        EXPECT_FALSE(refused.is_transient());
        return refused.what();
    }
    return {};
}

} // namespace

TEST_P(StoreSuite, does_not_start_without_its_tables) { // B78
    const auto other_database = GetParam().make_harness();
    const auto store = other_database->make_store();

    EXPECT_THAT(complaint_of(*store), AllOf(HasSubstr("missing"), HasSubstr("ensure_schema")));

    store->ensure_schema();
    EXPECT_EQ(complaint_of(*store), "");
}

TEST_P(StoreSuite, makes_its_tables_once) { // B78
    commit({a_row("kept")});

    shop().ensure_schema();
    shop().ensure_schema();
    harness().make_store()->ensure_schema();

    EXPECT_THAT(due(), ElementsAre("kept"));
}

TEST_P(StoreSuite, makes_its_tables_with_many_at_once) { // B78
    constexpr int instances = 6;
    const auto other_database = GetParam().make_harness();
    std::vector<std::unique_ptr<store>> stores;
    for (int i = 0; i < instances; ++i) {
        stores.push_back(other_database->make_store());
    }
    std::latch together{instances};
    std::atomic<int> made = 0;
    {
        std::vector<std::jthread> threads;
        for (const auto& each : stores) {
            threads.emplace_back([&] {
                together.arrive_and_wait();
                each->ensure_schema();
                ++made;
            });
        }
    }

    EXPECT_EQ(made, instances);
    EXPECT_EQ(complaint_of(*stores.front()), "");
}

TEST_P(StoreSuite, leaves_tables_of_a_newer_ferry_alone) { // B78
    const auto other_database = GetParam().make_harness();
    const auto store = other_database->make_store();
    store->ensure_schema();
    other_database->pretend_schema_version(1000);

    EXPECT_THAT(complaint_of(*store), AllOf(HasSubstr("1000"), HasSubstr("newer")));
    EXPECT_THROW(store->ensure_schema(), schema_error);
}

} // namespace ferry::testing

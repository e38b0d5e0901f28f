#include "store_suite.hpp"

#include <array>

namespace ferry::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(StoreSuite, writes_messages_in_a_transaction_of_the_applications) { // B65
    const auto transaction = harness().begin();
    transaction->write();
    const std::array outgoing{a_row("first"), a_row("second")};
    const std::array scheduled{a_row_due("later", noon + 1h)};

    shop().append_in(transaction->native(), outgoing, scheduled);

    EXPECT_EQ(shop().count().pending, 0U);
    EXPECT_EQ(shop().count().scheduled, 0U);
    transaction->commit();
    EXPECT_THAT(due(), ElementsAre("first", "second"));
    EXPECT_EQ(shop().count().scheduled, 1U);
    EXPECT_EQ(harness().rows_of_the_application(), 1U);
}

TEST_P(StoreSuite, writes_nothing_when_the_application_rolls_back) { // B50, B65
    {
        const auto transaction = harness().begin();
        transaction->write();
        const std::array outgoing{a_row()};
        const std::array scheduled{a_row_due("later", noon + 1h)};
        shop().append_in(transaction->native(), outgoing, scheduled);
    }

    EXPECT_THAT(due(), IsEmpty());
    EXPECT_EQ(shop().count().scheduled, 0U);
    EXPECT_EQ(harness().rows_of_the_application(), 0U);
}

TEST_P(StoreSuite, cancels_in_a_transaction_of_the_applications) { // B65, B79
    const stored_message before = a_row_due("cancelled", noon + 1h);
    const stored_message within = a_row_due("cancelled, too", noon + 1h);
    commit_scheduled({before, a_row_due("kept", noon + 1h)});
    const auto transaction = harness().begin();
    shop().append_in(transaction->native(), {}, {&within, 1});

    EXPECT_TRUE(shop().cancel_in(transaction->native(), before.id));
    EXPECT_FALSE(shop().cancel_in(transaction->native(), before.id));
    EXPECT_TRUE(shop().cancel_in(transaction->native(), within.id));

    EXPECT_EQ(shop().count().scheduled, 2U);
    transaction->commit();
    EXPECT_EQ(shop().promote_due(10, noon + 1h), 1U);
    EXPECT_THAT(due(noon + 1h), ElementsAre("kept"));
}

TEST_P(StoreSuite, has_on_its_schedule_what_an_application_cancelled_and_rolled_back) { // B65, B79
    const stored_message message = a_row_due("kept", noon + 1h);
    commit_scheduled({message});
    {
        const auto transaction = harness().begin();
        EXPECT_TRUE(shop().cancel_in(transaction->native(), message.id));
    }
    EXPECT_EQ(shop().count().scheduled, 1U);
    EXPECT_TRUE(shop().cancel(message.id));
}

TEST_P(StoreSuite, keeps_every_field_of_what_is_written_in_a_transaction_of_the_applications) { // B3, B65
    envelope message = an_order(std::string_view{"\0bytes\xff", 7});
    message.partition_key = "customer-7";
    message.headers.set("x-mine", "kept");
    const auto transaction = harness().begin();
    const std::array outgoing{stored_message::of(message, noon + 7ns, noon)};
    shop().append_in(transaction->native(), outgoing, {});
    transaction->commit();

    const auto batch = shop().take_shard(shard_of("customer-7").value(), 10, noon);

    ASSERT_TRUE(batch);
    ASSERT_EQ(batch->rows().size(), 1U);
    EXPECT_EQ(unpacked(batch->rows().front().content), message);
    EXPECT_EQ(batch->rows().front().created_at, noon + 7ns);
}

TEST_P(StoreSuite, refuses_a_transaction_of_another_library) { // B65
    int not_a_transaction = 0;
    const std::array outgoing{a_row()};

    EXPECT_THROW(shop().append_in({&not_a_transaction, &typeid(int)}, outgoing, {}), error);
    EXPECT_THROW(shop().append_in({}, outgoing, {}), error);
    EXPECT_THROW((void)shop().cancel_in({&not_a_transaction, &typeid(int)}, an_id(1)), error);
    EXPECT_THROW((void)shop().cancel_in({}, an_id(1)), error);
    EXPECT_THAT(due(), IsEmpty());
}

} // namespace ferry::testing

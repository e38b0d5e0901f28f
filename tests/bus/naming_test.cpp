#include <ferry/message.hpp>
#include <ferry/naming.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace shop::parts {
struct OrderPlacedEvent {
    int number = 0;
};
struct PrintLabelCommand {
    static constexpr int message_version = 2;
    int number = 0;
};
} // namespace shop::parts

namespace ferry {
namespace {

TEST(KebabCase, separates_words_and_keeps_acronyms_together) {
    const std::pair<const char*, const char*> cases[] = {
        {"order_placed", "order-placed"},
        {"OrderPlaced", "order-placed"},
        {"orderPlaced", "order-placed"},
        {"HTTPServer", "http-server"},
        {"parseHTTP", "parse-http"},
        {"Order2Placed", "order2-placed"},
        {"wrapper<int>", "wrapper-int"},
        {"__order__placed_", "order-placed"},
        {"X", "x"},
        {"", ""},
    };
    for (const auto& [name, kebab] : cases) {
        EXPECT_EQ(kebab_case(name), kebab) << name;
    }
}

TEST(TypeUrn, separates_namespaces_by_dots_and_the_type_by_a_colon) {
    EXPECT_EQ(type_urn("shop::order_placed"), "urn:message:shop:order-placed");
    EXPECT_EQ(type_urn("shop::billing::HTTPCall"), "urn:message:shop.billing:http-call");
    EXPECT_EQ(type_urn("order_placed"), "urn:message:order-placed");
    EXPECT_EQ(type_urn("shop::{anonymous}::order_placed"), "urn:message:shop:order-placed");
    EXPECT_EQ(type_urn("(anonymous namespace)::order_placed"), "urn:message:order-placed");
    EXPECT_EQ(type_urn("shop::wrapper<other::thing>"), "urn:message:shop:wrapper-other-thing");
}

TEST(Naming, calls_queues_and_exchanges_after_message_and_handler) {
    const naming convention;
    const message_type& message = message_type::of<shop::parts::OrderPlacedEvent>();
    EXPECT_EQ(convention.exchange(message), "shop.parts.order-placed-event");
    EXPECT_EQ(convention.message_queue(message), "order-placed") << "without the suffix";
    EXPECT_EQ(convention.handler("shop::InvoiceHandler", message), "invoice");
    EXPECT_EQ(convention.handler("shop::audit_consumer", message), "audit");
    EXPECT_EQ(convention.handler("", message), "order-placed") << "a lambda is called after its message";
    EXPECT_EQ(convention.subscriber_queue("billing", "invoice"), "billing.invoice");
    EXPECT_EQ(convention.error_queue("billing.invoice"), "billing.invoice_error");
    EXPECT_EQ(convention.skipped_queue("billing.invoice"), "billing.invoice_skipped");
}

TEST(Naming, drops_the_suffix_of_a_message_with_a_version_too) {
    const message_type& message = message_type::of<shop::parts::PrintLabelCommand>();
    EXPECT_EQ(message.short_name, "print-label-command.v2");
    EXPECT_EQ(naming{}.message_queue(message), "print-label.v2");
    EXPECT_EQ(naming{}.handler("", message), "print-label.v2");
    EXPECT_EQ(styled_naming{name_style::snake}.message_queue(message), "print_label.v2");
}

TEST(Naming, writes_message_queues_in_the_style_of_the_house) { // B60
    const message_type& message = message_type::of<shop::parts::OrderPlacedEvent>();
    EXPECT_EQ(styled_naming{name_style::kebab}.message_queue(message), "order-placed");
    EXPECT_EQ(styled_naming{name_style::snake}.message_queue(message), "order_placed");
    EXPECT_EQ(styled_naming{name_style::type_name}.message_queue(message), "OrderPlacedEvent");
    EXPECT_EQ((styled_naming{name_style::snake, "shop."}.message_queue(message)), "shop.order_placed");
}

TEST(Naming, keeps_a_name_that_is_nothing_but_a_suffix) {
    const naming convention;
    EXPECT_EQ(convention.handler("handler", message_type::of<shop::parts::OrderPlacedEvent>()), "handler");
}

} // namespace
} // namespace ferry

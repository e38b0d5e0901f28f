#include "billing_shop.hpp"
#include "invoice_file.hpp"

#include <algorithm>
#include <ostream>

namespace ferry::scenarios {
namespace {

/// When the service dies, and how it works until then.
struct end {
    moment when;
    std::string way = "one_by_one";

    friend std::ostream& operator<<(std::ostream& out, const end& of) {
        return out << to_string(of.when) << "_working_" << of.way;
    }
};

/// RabbitMQ on one side and a file on the other, which one process has at a time.
class WhenTheServiceDiesOverSqlite : public rabbit_shop, public ::testing::WithParamInterface<end> {
protected:
    static constexpr int orders = 50;

    WhenTheServiceDiesOverSqlite() {
        make_billing_queue();
        start_audit();
        place_orders();
    }
    [[nodiscard]] testing::child_process service_process(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> command{FERRY_CRASHING_SERVICE, url(broker.amqp_port()), file.path(), GetParam().way};
        command.insert(command.end(), more.begin(), more.end());
        return testing::child_process{std::move(command)};
    }
    [[nodiscard]] testing::child_process doomed_process() const {
        return service_process({"die_at", std::string{to_string(GetParam().when)}});
    }
    [[nodiscard]] bool everything_is_done() const {
        return in_the_end([&] { return heard_orders() == orders && file.rows_left() == 0; });
    }
    [[nodiscard]] std::size_t heard_orders() const {
        return heard.look([](const heard_invoices& all) { return all.size(); });
    }
    void expect_one_effect_of_each_order() const {
        const std::map<std::string, int> invoices = file.invoices();
        EXPECT_EQ(invoices.size(), std::size_t{orders});
        EXPECT_TRUE(std::ranges::all_of(invoices, [](const auto& each) { return each.second == 1; }))
            << "an order has two invoices";
        EXPECT_EQ(file.rows_left(), 0);
        heard.look([](const heard_invoices& all) {
            for (const auto& [order, messages] : all) {
                EXPECT_EQ(messages.size(), 1U) << "order " << order << " was told of by different messages";
            }
        });
    }

    invoice_file file;
    watched<heard_invoices> heard;

private:
    void make_billing_queue() const {
        fault_plan none;
        const billing_options own{.rabbitmq = url(broker.amqp_port()), .sqlite = file.path(), .transport = impatient()};
        started(*billing(own, none))->stop();
    }
    void start_audit() {
        auto builder = service("audit");
        builder->handle<invoice_created>([this](const invoice_created& invoice, consume_context& context) {
            heard.change([&](heard_invoices& all) { ++all[invoice.order_id][context.message_id().to_string()]; });
        });
        audit = started(*builder);
    }
    void place_orders() {
        const auto shop = started(*service("shop"));
        for (int i = 0; i < orders; ++i) {
            publish_surely(*shop, std::to_string(i));
        }
    }

    std::unique_ptr<bus> audit;
};

TEST_P(WhenTheServiceDiesOverSqlite, each_order_has_one_effect_after_it_was_started_again) { // B76 B74 B57
    auto first = doomed_process();
    ASSERT_TRUE(in_the_end([&] { return first.ended().has_value(); }));
    ASSERT_TRUE(first.was_killed());
    ASSERT_LT(file.invoices().size() - static_cast<std::size_t>(file.rows_left()), std::size_t{orders})
        << "there is something left to do";
    auto second = service_process();
    EXPECT_TRUE(everything_is_done());
    second.ask_to_end();
    EXPECT_TRUE(in_the_end([&] { return second.ended().has_value(); }));
    EXPECT_TRUE(second.ended_well());
    expect_one_effect_of_each_order();
}

INSTANTIATE_TEST_SUITE_P(
    At, WhenTheServiceDiesOverSqlite,
    ::testing::Values(end{moment::after_claim}, end{moment::in_handler}, end{moment::before_commit},
                      end{moment::after_commit}, end{moment::before_acknowledge}, end{moment::after_send},
                      end{moment::before_confirm}, end{moment::before_delete}, end{moment::in_handler, "in_groups"},
                      end{moment::before_commit, "in_groups"}, end{moment::before_acknowledge, "in_groups"},
                      end{moment::before_delete, "from_memory"}, end{moment::before_delete, "by_key"},
                      end{moment::after_commit, "scheduled"}, end{moment::before_delete, "scheduled"}),
    ::testing::PrintToStringParamName());

} // namespace
} // namespace ferry::scenarios

// What becomes of a message whose handler throws: an exception policy decides, by the type of the exception.
// Look at: the policy in `main` is all there is to it. The handler only throws, and may ask which attempt this is.

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>

#include <iostream>
#include <latch>
#include <stdexcept>

using namespace std::chrono_literals;

namespace billing {

struct payment_due {
    std::string payment_id;
};
struct newsletter {
    std::string text;
};

struct bank_busy : std::runtime_error { // over in a moment
    using std::runtime_error::runtime_error;
};
struct bank_closed : std::runtime_error { // over in a while
    using std::runtime_error::runtime_error;
};
struct card_expired : std::runtime_error { // somebody has to look at it
    using std::runtime_error::runtime_error;
};
struct paid_already : std::runtime_error { // nothing is left to do
    using std::runtime_error::runtime_error;
};

struct charge_card {
    std::latch& charged;

    void operator()(const payment_due& payment, ferry::consume_context& context) const {
        const auto [retry, redelivery] = context.attempt();
        std::cout << payment.payment_id << ": retry " << retry << ", redelivery " << redelivery << '\n';
        if (payment.payment_id == "busy" && retry < 2) {
            throw bank_busy{"too many payments at once"};
        }
        if (payment.payment_id == "expired") {
            throw card_expired{"the card was good until June"};
        }
        if (payment.payment_id == "paid") {
            throw paid_already{"this payment has been made"};
        }
        if (payment.payment_id == "late" && redelivery == 0) {
            throw bank_closed{"the bank opens later"};
        }
        std::cout << payment.payment_id << ": charged\n";
        charged.count_down();
    }
};

void print(const ferry::envelope& dead) {
    std::cout << "in the error queue: " << dead.body.view() << '\n';
    for (const char* name : {"fault-exception-type", "fault-message", "fault-endpoint", "fault-consumer"}) {
        std::cout << "  " << name << ": " << dead.headers.text(name) << '\n';
    }
    std::cout << "  fault-attempts: " << *dead.headers.find("fault-attempts")->as<std::int64_t>() << '\n';
}

} // namespace billing

int main() {
    std::latch charged{2};                                         // "busy", and "late" after all others
    const auto broker = std::make_shared<ferry::memory::broker>(); // our own, to look into its queues afterwards
    ferry::bus_builder builder{"billing"};
    builder.transport(ferry::memory::transport{broker});
    builder.log([](ferry::log_level, std::string_view) {}); // it would tell of each failure, on standard error
    builder.concurrency_limit(1);                           // one after the other, for an output in order
    // #region policy
    builder.resilience([](ferry::exception_policy& policy) {
        policy.on<billing::bank_busy>().retry({1ms, 2ms});
        policy.on<billing::bank_closed>().redeliver({20ms});
        policy.on<billing::card_expired>().dead_letter();
        policy.on<billing::paid_already>().discard();
        policy.otherwise().retry().then_redeliver(); // the defaults: sixteen attempts in about an hour
    });
    // #endregion
    builder.handle<billing::payment_due>(billing::charge_card{charged});

    ferry::bus bus = builder.build();
    bus.start();
    // Nobody at this endpoint handles newsletters.
    bus.send(billing::newsletter{"spring offers"}, {.destination = ferry::address::queue("billing.charge-card")});
    for (const char* payment : {"busy", "expired", "paid", "late"}) {
        bus.publish(billing::payment_due{payment});
    }
    charged.wait();
    bus.stop();

    for (const ferry::envelope& dead : broker->messages("billing.charge-card_error")) {
        billing::print(dead);
    }
    for (const ferry::envelope& stray : broker->messages("billing.charge-card_skipped")) {
        std::cout << "in the skipped queue: " << stray.message_type << '\n';
    }
    const ferry::bus_counts counts = bus.counts();
    std::cout << counts.handled << " handled, " << counts.retries << " retries, " << counts.redelivered
              << " redelivered, " << counts.dead_lettered << " dead letter, " << counts.discarded << " discarded, "
              << counts.skipped << " skipped\n";
}

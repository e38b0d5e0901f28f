// Stages of your own: one that checks every message, one around a handler, and one that tells another what to do.
// Look at: where `main` places each of them; docs/adding-a-stage.md says why.

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>

#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>

namespace depot {

struct store_parcel {
    std::string parcel_id;
};
struct heartbeat {
    std::string scanner;
};

// #region tenant
/// Whose message it is, for everything further in.
struct tenant {
    std::string name;
    std::string currency;
};

struct unknown_tenant : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Refuses what belongs to nobody, and finds the tenant of everything else.
struct tenant_check {
    static constexpr std::string_view key = "tenant_check";
    std::map<std::string, tenant> tenants;

    void operator()(ferry::receive_context& message, ferry::next<ferry::receive_context> next) const {
        const auto found = tenants.find(message.envelope().tenant);
        if (found == tenants.end()) {
            throw unknown_tenant{"there is no tenant '" + message.envelope().tenant + "'"};
        }
        message.features().get_or_add<tenant>() = found->second;
        next(message);
    }
};
// #endregion

// #region timing
/// Measures a handler, and tells how long it took when it has succeeded.
struct timing {
    static constexpr std::string_view key = "timing";
    std::function<void(const std::string& consumer, std::chrono::nanoseconds taken)> report;

    void operator()(ferry::consume_context& message, ferry::next<ferry::consume_context> next) const {
        const auto begin = std::chrono::steady_clock::now();
        next(message);
        report(message.consumer().name(), std::chrono::steady_clock::now() - begin);
    }
};
// #endregion

// #region stand_ins
/// A stand-in: ferry's own transaction comes with its stores.
struct transaction {
    static constexpr std::string_view key = "transaction";

    void operator()(ferry::consume_context& message, ferry::next<ferry::consume_context> next) const {
        std::cout << "  begin\n";
        next(message);
        std::cout << "  commit\n";
    }
};

/// For messages that may well be handled twice, and are not worth a row in the inbox.
struct skip_inbox {};

/// A stand-in, too: ferry's own will remember the messages it has seen, and let each through once.
struct inbox {
    static constexpr std::string_view key = "inbox";

    void operator()(ferry::consume_context& message, ferry::next<ferry::consume_context> next) const {
        if (message.features().find<skip_inbox>() == nullptr) {
            std::cout << "  inbox: not seen before\n";
        }
        next(message);
    }
};
// #endregion

// #region handler
void store(const store_parcel& parcel, ferry::consume_context& context) {
    const tenant& owner = *context.delivery().features().find<tenant>();
    std::cout << "  parcel " << parcel.parcel_id << " of " << owner.name << ", to be paid in " << owner.currency
              << '\n';
}
// #endregion

void note(const heartbeat& alive) { std::cout << "  scanner " << alive.scanner << " is alive\n"; }

/// Asks for the message to be handled, and waits until it has been: one after the other, for an output in order.
template <typename Message> void ask(ferry::bus& bus, const Message& message, const std::string& tenant_name) {
    std::cout << ferry::message_type::of<Message>().urn << '\n';
    try {
        bus.request(message, {.dispatch = {.tenant = tenant_name}});
    } catch (const ferry::remote_error& refusal) {
        std::cout << "  " << refusal.type() << ": " << refusal.text() << '\n';
    }
}

void print_stages(const ferry::bus& bus) {
    for (const ferry::endpoint_description& endpoint : bus.describe().endpoints) {
        std::cout << endpoint.name << ':';
        for (const std::string& stage : endpoint.consumers.front().stages) {
            std::cout << ' ' << stage;
        }
        std::cout << '\n';
    }
}

} // namespace depot

int main() {
    ferry::bus_builder builder{"depot"};
    builder.transport(ferry::memory::transport{});
    builder.log([](ferry::log_level, std::string_view) {});

    // #region tenant_placed
    const std::map<std::string, depot::tenant> tenants{{"north", {"north", "NOK"}}, {"south", {"south", "EUR"}}};
    builder.use_after("fault", depot::tenant_check{tenants});
    // #endregion

    // #region inbox_placed
    builder.use_after("send_collected", depot::transaction{});
    builder.use_after("transaction", depot::inbox{});
    // #endregion

    // #region timing_placed
    builder.serve<depot::store_parcel>(&depot::store, [](ferry::consumer_builder& consumer) {
        consumer.use(depot::timing{[](const std::string& name, std::chrono::nanoseconds) {
            std::cout << "  " << name << " was measured\n"; // but every run takes another time
        }});
    });
    // #endregion

    // #region skip_placed
    builder.serve<depot::heartbeat>(&depot::note, [](ferry::consumer_builder& consumer) {
        consumer.use_before("inbox", "skip_inbox",
                            [](ferry::consume_context& message, ferry::next<ferry::consume_context> next) {
                                message.features().get_or_add<depot::skip_inbox>();
                                next(message);
                            });
    });
    // #endregion

    ferry::bus bus = builder.build();
    bus.start();
    depot::print_stages(bus);
    depot::ask(bus, depot::store_parcel{"17"}, "north");
    depot::ask(bus, depot::store_parcel{"18"}, "");
    depot::ask(bus, depot::heartbeat{"gate"}, "south");
}

// One service asks another and waits for the answer. Here both are in one process, as two buses on one broker.
// Look at: the answer is a return value, over there and here. What the other side throws comes home as a
// `remote_error`, and who gets no answer in time hears that, too.

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>

#include <chrono>
#include <iostream>
#include <latch>
#include <stdexcept>

using namespace std::chrono_literals;

namespace post {

struct weigh_parcel {
    std::string parcel_id;
};
struct parcel_weighed {
    int grams = 0;
};

/// The scales hang with the parcel "heavy", until somebody helps.
struct scales {
    std::latch& help;

    parcel_weighed operator()(const weigh_parcel& order) const {
        if (order.parcel_id == "lost") {
            throw std::runtime_error{"nobody has seen this parcel"};
        }
        if (order.parcel_id == "heavy") {
            help.wait();
        }
        return {1250};
    }
};

void ask(ferry::bus& counter, const std::string& parcel_id) {
    try {
        // #region request
        const auto answer = counter.request<parcel_weighed>(weigh_parcel{parcel_id}, {.timeout = 200ms});
        // #endregion
        std::cout << parcel_id << " weighs " << answer.grams << " g\n";
    } catch (const ferry::remote_error& failure) {
        std::cout << parcel_id << ": " << failure.type() << ": " << failure.text() << '\n';
    } catch (const ferry::request_timeout&) {
        std::cout << parcel_id << ": no answer in time\n";
    }
}

} // namespace post

int main() {
    std::latch help{1};
    const auto broker = std::make_shared<ferry::memory::broker>();

    ferry::bus_builder cellar_builder{"cellar"};
    cellar_builder.transport(ferry::memory::transport{broker});
    cellar_builder.log([](ferry::log_level, std::string_view) {}); // it would tell of the failure, on standard error
    // #region serve
    cellar_builder.serve<post::weigh_parcel>(post::scales{help});
    // #endregion
    ferry::bus cellar = cellar_builder.build();
    cellar.start();

    ferry::bus_builder counter_builder{"counter"};
    counter_builder.transport(ferry::memory::transport{broker});
    ferry::bus counter = counter_builder.build();
    counter.start();

    for (const char* parcel : {"small", "lost", "heavy"}) {
        post::ask(counter, parcel);
    }
    help.count_down();
    cellar.stop(); // waits for the scales, whose answer comes too late
    counter.stop();
}

#include "carrier.hpp"

#include "../shared/messages.hpp"
#include "shipping.hpp"

#include <memory>
#include <mutex>
#include <random>
#include <thread>

namespace shop {

namespace {

/// The printer itself; it jams by chance.
class printer {
public:
    explicit printer(const carrier_options& options) : random_{options.seed}, jams_{options.jam_rate} {}

    label_printed print(const print_label& order) {
        if (jams()) {
            std::this_thread::sleep_for(label_timeout + label_timeout / 2);
        }
        return {"parcel " + order.order_id};
    }

private:
    bool jams() {
        const std::scoped_lock lock{mutex_};
        return jams_(random_);
    }

    std::mutex mutex_;
    std::mt19937 random_;
    std::bernoulli_distribution jams_;
};

} // namespace

void add_carrier(ferry::bus_builder& builder, const carrier_options& options) {
    builder.serve<print_label>(
        [its = std::make_shared<printer>(options)](const print_label& order) { return its->print(order); });
}

} // namespace shop

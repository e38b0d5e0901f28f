#pragma once

#include "../shared/messages.hpp"

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace shop {

/// Over when the customer has found another card.
struct card_declined : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Over in a moment or in a while; nobody can tell.
struct gateway_unavailable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A payment gateway as they are: refuses cards, is busy now and then, and is down for longer sometimes. Which of it
/// happens depends on the card, so that a run can be repeated.
class gateway {
public:
    /// Charges the card, once for an order however often it is asked, or throws one of the above.
    void charge(const std::string& order_id, card paid_with);

private:
    [[nodiscard]] int times_asked(const std::string& order_id);

    std::mutex mutex_;
    std::map<std::string, int> asked_; ///< of the orders it had trouble with
};

} // namespace shop

#pragma once

#include "../../rabbitmq/rabbit_messages.hpp"

#include <string>

namespace ferry::scenarios {

struct invoice_created {
    std::string order_id;
};

} // namespace ferry::scenarios

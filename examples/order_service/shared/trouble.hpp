#pragma once

#include <ferry/exception_policy.hpp>

namespace shop {

/// The policy of handlers that only write: trouble with the database passes, and so does a broker that is away. What
/// does not is a dead letter.
void passing_trouble(ferry::exception_policy& policy);

/// The same where order matters: what is put back for later is overtaken, so such a message is tried again where it is,
/// for more than a minute, and those behind it wait.
void trouble_in_order(ferry::exception_policy& policy);

} // namespace shop

// expect: has no member named .*then_redeliver
#include <ferry/exception_policy.hpp>

void configure(ferry::exception_policy& policy) { policy.otherwise().retry().then_redeliver().then_redeliver(); }

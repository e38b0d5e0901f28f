// expect: has no member named .*retry
#include <ferry/exception_policy.hpp>

void configure(ferry::exception_policy& policy) { policy.otherwise().redeliver().retry(); }

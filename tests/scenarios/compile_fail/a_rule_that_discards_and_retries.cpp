// expect: invalid use of .*void
#include <ferry/exception_policy.hpp>

void configure(ferry::exception_policy& policy) { policy.otherwise().discard().retry(); }

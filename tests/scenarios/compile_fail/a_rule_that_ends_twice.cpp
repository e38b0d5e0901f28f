// expect: invalid use of .*void
#include <ferry/exception_policy.hpp>

void configure(ferry::exception_policy& policy) { policy.otherwise().retry().then_dead_letter().then_discard(); }

#include "trouble.hpp"

#include <ferry/error.hpp>

#include <chrono>

namespace shop {

using namespace std::chrono_literals;

namespace {

bool passes(const ferry::error& failure) { return failure.is_transient(); }

} // namespace

void passing_trouble(ferry::exception_policy& policy) {
    policy.on<ferry::error>(passes).retry(3, 20ms).then_redeliver(5, 500ms);
}

void trouble_in_order(ferry::exception_policy& policy) { policy.on<ferry::error>(passes).retry(12, 50ms); }

} // namespace shop

#include "jitter.hpp"

#include <random>

namespace ferry::middleware {

double jitter() {
    thread_local std::minstd_rand source{std::random_device{}()};
    return std::uniform_real_distribution{-1.0, 1.0}(source);
}

} // namespace ferry::middleware

#include "allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t counted = 0;

void* counted_new(std::size_t size) {
    ++counted;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc{};
}

} // namespace

std::uint64_t ferry::benchmarks::allocations() noexcept { return counted; }

void* operator new(std::size_t size) { return counted_new(size); }
void* operator new[](std::size_t size) { return counted_new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

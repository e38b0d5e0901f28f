#include "engine.hpp"

#include <ferry/memory/broker.hpp>

namespace ferry::memory {

broker::broker(const broker_options& options, clock now) : engine_{std::make_unique<engine>(options, now)} {}

broker::~broker() = default;

bool broker::has_queue(std::string_view queue) const { return engine_->find(queue) != nullptr; }

std::size_t broker::depth(std::string_view queue) const { return engine_->get(queue)->depth(); }

std::vector<envelope> broker::messages(std::string_view queue) const {
    std::vector<envelope> found;
    for (const packed_envelope& each : engine_->get(queue)->messages()) {
        each.unpack(found.emplace_back());
    }
    return found;
}

std::size_t broker::purge(std::string_view queue) { return engine_->get(queue)->purge(); }

std::size_t broker::delayed() const { return engine_->delayed(); }

} // namespace ferry::memory

#include "collector.hpp"

#include <algorithm>
#include <stdexcept>

namespace ferry::testing {

collector::collector(const std::string& manner)
    : process_{{"python3", "-B", FERRY_COLLECTOR, manner}, [this](const std::string& line) {
                   received_.change([&](std::vector<item>& all) { all.push_back(item::parse(line)); });
               }} {
    (void)received_.eventually([](const auto& all) { return !all.empty(); });
    const std::vector<item> first = received_.take();
    if (first.empty()) {
        throw std::runtime_error{"the collector does not say where it listens"};
    }
    http_port_ = first.front().at("http").get<std::uint16_t>();
    grpc_port_ = first.front().at("grpc").get<std::uint16_t>();
}

std::vector<collector::item> collector::received(const std::string& signal) const {
    return received_.look([&](const std::vector<item>& all) {
        std::vector<item> found;
        std::ranges::copy_if(all, std::back_inserter(found),
                             [&](const item& each) { return each.at("signal") == signal; });
        return found;
    });
}

collector::item collector::eventually(const std::string& signal, const condition& wanted) const {
    item found;
    (void)received_.eventually([&](const std::vector<item>& all) {
        const auto place =
            std::ranges::find_if(all, [&](const item& each) { return each.at("signal") == signal && wanted(each); });
        if (place != all.end()) {
            found = *place;
        }
        return place != all.end();
    });
    return found;
}

collector::item collector::span(const std::string& name) const {
    return eventually("span", [&](const item& each) { return each.at("name") == name; });
}

collector::item collector::metric(const std::string& name) const {
    return eventually("metric", [&](const item& each) { return each.at("name") == name; });
}

} // namespace ferry::testing

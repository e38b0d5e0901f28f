#include <ferry/address.hpp>

namespace ferry {

namespace {

constexpr std::string_view queue_scheme = "queue:";
constexpr std::string_view exchange_scheme = "exchange:";

} // namespace

std::optional<address> address::parse(std::string_view text) {
    if (text.starts_with(queue_scheme) && text.size() > queue_scheme.size()) {
        return queue(text.substr(queue_scheme.size()));
    }
    if (text.starts_with(exchange_scheme) && text.size() > exchange_scheme.size()) {
        return exchange(text.substr(exchange_scheme.size()));
    }
    return std::nullopt;
}

std::string address::to_string() const {
    switch (kind) {
    case kind_type::queue:
        return std::string{queue_scheme} + name;
    case kind_type::exchange:
        return std::string{exchange_scheme} + name;
    case kind_type::none:
        break;
    }
    return {};
}

} // namespace ferry

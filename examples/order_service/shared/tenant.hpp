#pragma once

#include <ferry/pipeline.hpp>
#include <ferry/receive_context.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace shop {

/// Whose order it is. The shop is one program for several merchants.
struct tenant {
    std::string name;
    std::string currency;
};

struct unknown_tenant : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// nullptr when there is no such tenant.
[[nodiscard]] const tenant* find_tenant(std::string_view name);

/// A stage of our own: what belongs to nobody is refused before a handler sees it, and handlers find the tenant of
/// everything else among the features of the delivery.
struct tenant_check {
    static constexpr std::string_view key = "tenant_check";

    void operator()(ferry::receive_context& message, ferry::next<ferry::receive_context> next) const;
};

} // namespace shop

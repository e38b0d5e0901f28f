#pragma once

#include "order_desk.hpp"

#include <ferry/log.hpp>

#include <cstdint>
#include <memory>

namespace shop {

/// Throws when no door can be opened there, for who wants to know before anything else is begun.
void check_that_is_free(std::uint16_t port);

/// Takes orders by HTTP, on 127.0.0.1 only:
///
///     POST /orders        an order as JSON; 201 when it is placed, 200 when it had been, 4xx when it cannot be
///     GET /orders/{id}    what has become of it
class http_door {
public:
    /// Port 0 is any that is free. Throws when the port is taken. `log` hears of orders that could not be.
    http_door(std::uint16_t port, order_desk& desk, ferry::log_function log);
    http_door(const http_door&) = delete;
    http_door& operator=(const http_door&) = delete;
    ~http_door(); ///< closes

    [[nodiscard]] std::uint16_t port() const;
    /// Lets nobody in any more. Whoever is being served gets an answer first.
    void close();

private:
    class server;
    std::unique_ptr<server> server_;
};

} // namespace shop

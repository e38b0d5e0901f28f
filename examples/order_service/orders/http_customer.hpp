#pragma once

#include "order.hpp"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace shop {

/// A customer with one connection to the door of the shop.
class http_customer {
public:
    explicit http_customer(std::uint16_t port);
    ~http_customer();

    /// Throws when the shop does not take the order.
    void place(const order& wanted);

private:
    class connection;
    using response = boost::beast::http::response<boost::beast::http::string_body>;
    [[nodiscard]] response post(const std::string& body);

    std::uint16_t port_;
    std::unique_ptr<connection> connection_;
};

} // namespace shop

#pragma once

#include "order_desk.hpp"

#include <ferry/log.hpp>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace shop {

using http_request = boost::beast::http::request<boost::beast::http::string_body>;
using http_response = boost::beast::http::response<boost::beast::http::string_body>;

/// Does what is asked, and says in the answer what came of it. Throws nothing of what may go wrong.
[[nodiscard]] http_response answer_to(const http_request& asked, order_desk& desk, const ferry::log_function& log);

/// The answer to something that is no HTTP, or too much of it.
[[nodiscard]] http_response refusal(boost::beast::http::status status, std::string_view reason);

} // namespace shop

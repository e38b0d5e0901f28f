#pragma once

#include <ferry/time.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <vector>

namespace ferry::amqp {

/// Connects to the first of these addresses of a host that takes the connection. They are tried one after the other,
/// and each may take its share of the time that is left: one that swallows everything keeps nobody from the next. Ends
/// with an error when the socket is closed. The socket has to live until then, and lives with `done`.
void connect_in_turn(boost::asio::ip::tcp::socket& socket, std::vector<boost::asio::ip::tcp::endpoint> addresses,
                     duration limit, std::function<void(const boost::system::error_code&)> done);

} // namespace ferry::amqp

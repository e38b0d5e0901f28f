#pragma once

#include "frames.hpp"
#include "heartbeat.hpp"

#include <ferry/amqp/options.hpp>
#include <ferry/amqp/url.hpp>
#include <ferry/buffer.hpp>

#include <amqpcpp.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ferry::amqp {

/// Whoever uses a connection. Called on the I/O thread.
class connection_user {
public:
    virtual void opened() = 0;
    /// Comes once, whether it was open before or not; nothing comes after it.
    virtual void closed(const std::string& reason) = 0;
    virtual void blocked(const std::string& reason) = 0;
    virtual void unblocked() = 0;
    /// All that came with one read has been passed on. Returns how long the next one may wait.
    [[nodiscard]] virtual std::chrono::microseconds read_done() = 0;
    /// The socket has taken all that was written before the last turn, so there is room again.
    virtual void write_done() = 0;

protected:
    ~connection_user() = default;
};

/// What every connection of a transport is made with.
struct connection_settings {
    broker_url url;
    transport_options options;
    std::string name; ///< what the broker's management shows

    /// The same with a name that says what the connection is for.
    [[nodiscard]] connection_settings for_purpose(std::string_view purpose) const;
};

/// One TCP connection to one server from its beginning to its end, plain or encrypted, with AMQP-CPP's state machine on
/// top. Lives on the I/O thread.
class connection final : public std::enable_shared_from_this<connection>, private AMQP::ConnectionHandler {
public:
    connection(boost::asio::io_context& io, const connection_settings& settings, server where, connection_user& user);
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection() override;

    void open();
    /// Asks the broker to close; `closed` comes when it has, or when it takes too long.
    void close();
    /// Ends at once. The user hears of it, but not before this returned.
    void drop(const std::string& reason);
    /// The user is gone; nobody hears of anything any more.
    void forget_user() noexcept { user_ = nullptr; }

    [[nodiscard]] AMQP::Connection& protocol() noexcept { return *protocol_; }
    [[nodiscard]] boost::asio::io_context& io() noexcept { return io_; }
    [[nodiscard]] const server& where() const noexcept { return where_; }
    [[nodiscard]] std::uint32_t frame_max() const { return largest_own_frame(protocol_->maxFrame()); }
    /// Sends frames of our own making. They leave with whatever else is written in the same turn.
    void write(std::string_view frames);
    /// Whether more should be written now: the socket takes no more than the broker reads.
    [[nodiscard]] bool has_room() const noexcept { return out_.size() < most_unwritten; }
    /// The properties of the message that comes in on that channel, as they were sent: AMQP-CPP does not get to see
    /// them, since it reads some types of headers wrongly and allocates for each of them.
    [[nodiscard]] std::string_view properties(std::uint16_t channel) const;

private:
    using stream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>;
    using results = boost::asio::ip::tcp::resolver::results_type;

    void onProperties(AMQP::Connection* which, const AMQP::Table& server, AMQP::Table& client) override;
    std::uint16_t onNegotiate(AMQP::Connection* which, std::uint16_t interval) override;
    void onData(AMQP::Connection* which, const char* bytes, std::size_t size) override;
    void onReady(AMQP::Connection* which) override;
    void onError(AMQP::Connection* which, const char* message) override;
    void onClosed(AMQP::Connection* which) override;
    void onBlocked(AMQP::Connection* which, const char* reason) override;
    void onUnblocked(AMQP::Connection* which) override;

    template <typename Operation> void on_stream(Operation operation);
    void end_after(duration limit, const std::string& reason);
    void connect(const results& found);
    void begin_tls();
    [[nodiscard]] std::string why_lost(const boost::system::error_code& failure);
    void begin_protocol();
    void read();
    void read_after(std::chrono::microseconds pause);
    void take_in(std::size_t count);
    [[nodiscard]] std::size_t pass_on_frames(std::string_view bytes);
    void pass_on(std::string_view frames);
    void flush_soon();
    void flush();
    void beat();

    static constexpr std::size_t most_unwritten = std::size_t{1} << 20;

    boost::asio::io_context& io_;
    const connection_settings& settings_;
    server where_;
    connection_user* user_;

    boost::asio::ip::tcp::resolver resolver_{io_};
    boost::asio::ip::tcp::socket socket_{io_};
    std::optional<boost::asio::ssl::context> tls_context_;
    std::optional<stream> tls_;
    boost::asio::steady_timer deadline_{io_};
    boost::asio::steady_timer next_beat_{io_};
    boost::asio::steady_timer next_read_{io_};
    heartbeat heart_{};
    std::chrono::steady_clock::time_point last_read_;
    std::chrono::steady_clock::time_point last_write_;

    std::unique_ptr<AMQP::Connection> protocol_;
    buffer in_;
    buffer bare_header_;
    std::unordered_map<std::uint16_t, std::string> properties_;
    buffer out_;
    buffer on_the_way_;
    bool writing_ = false;
    bool flush_posted_ = false;
    bool ended_ = false;
};

} // namespace ferry::amqp

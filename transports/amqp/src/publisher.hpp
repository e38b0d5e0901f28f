#pragma once

#include "confirm_window.hpp"
#include "declaration.hpp"
#include "delays.hpp"
#include "link.hpp"
#include "topology_book.hpp"
#include "trials.hpp"

#include <ferry/transport.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::amqp {

/// The sending half of a transport: a connection, a channel with confirms, and a window of messages on their way. Also
/// declares, since the broker must know a queue before anything is sent there.
///
/// `send` and `declare` are for any thread; everything else happens on the I/O thread.
class publisher final : private link_user {
public:
    publisher(boost::asio::io_context& io, const connection_settings& settings, topology_book& book, clock now,
              const log_function& log);
    publisher(const publisher&) = delete;
    publisher& operator=(const publisher&) = delete;
    ~publisher();

    void start() { link_.start(); }
    /// Sends what it still can, within a bound, takes temporary queues away, and closes. Calls back in the end.
    void stop(std::function<void()> stopped);

    void send(const envelope& message, send_callback on_outcome);
    /// The same, into that queue and at once, wherever it says that it is for.
    void send_to_queue(const std::string& queue, const envelope& message, send_callback on_outcome);
    /// Calls back when all of it is there, or cannot be. What has not been asked of the broker when `asker` is gone is
    /// not asked any more.
    void declare(const topology& wanted, std::weak_ptr<void> asker, std::function<void(std::exception_ptr)> done);
    /// The same, when the broker has said whether there is such a queue.
    void require(const std::string& queue, std::weak_ptr<void> asker, std::function<void(std::exception_ptr)> done);

    /// On the I/O thread: something was missing at the broker, so what delayed messages need may be, too.
    void refresh_delays() { delays_.refresh(); }

    [[nodiscard]] const link& way() const noexcept { return link_; }
    [[nodiscard]] bool is_blocked() const noexcept { return blocked_; }

private:
    void connected(connection& fresh) override;
    void disconnected(const std::string& reason) override;
    void blocked(const std::string& reason) override;
    void unblocked() override;
    void write_done() override;

    void ask(std::function<void(declaration&)> what, std::weak_ptr<void> asker,
             std::function<void(std::exception_ptr)> done);
    void open_channel();
    void set_up();
    void is_ready();
    void take_waiting();
    [[nodiscard]] bool take_incoming();
    void pump();
    void know_exchanges_of(const topology& declared);
    void tell(outgoing& message, send_outcome outcome);
    void answer(std::uint64_t number, bool multiple, bool accepted);
    void run_declarations();
    void sweep();
    void fail_late(std::vector<outgoing>& late);
    void sweep_later();
    void finish_stopping();
    void close();
    void fail(std::vector<outgoing>& messages, const std::string& reason);
    [[nodiscard]] std::string why_nothing_leaves() const;
    [[nodiscard]] outgoing written(const envelope& message, std::string_view exchange, std::string_view routing_key);
    void enqueue(outgoing message);
    void require_room_for(const outgoing& message) const;
    void prepare_again();
    void has_ended(const outgoing& message) noexcept;
    [[nodiscard]] buffer a_buffer();
    void recycle_used();

    boost::asio::io_context& io_;
    const connection_settings& settings_;
    topology_book& book_;
    const clock now_;
    link link_;

    // For any thread.
    std::mutex mutex_;
    std::vector<outgoing> incoming_;
    std::vector<buffer> buffers_;
    std::size_t bytes_taken_ = 0; ///< ever, in frames
    bool idle_ = true;            ///< the I/O thread has to be told of the next message
    bool closed_ = false;
    std::atomic<std::size_t> waiting_count_{0};
    std::atomic<std::size_t> bytes_ended_{0}; ///< ever; the I/O thread alone writes it
    std::atomic<std::uint32_t> frame_max_{128 * 1024};
    std::atomic<bool> blocked_{false};

    // On the I/O thread.
    struct wanted_declaration {
        std::function<void(declaration&)> ask;
        std::weak_ptr<void> asker;
        std::function<void(std::exception_ptr)> done;
    };
    connection* connection_ = nullptr;
    std::unique_ptr<AMQP::Channel> channel_;
    std::shared_ptr<declaration> declaring_;
    std::deque<wanted_declaration> declarations_;
    delays delays_;
    trials trials_;
    bool trusts_declarations_ = true; ///< until the broker refuses on the channel of all what seemed to be in order
    bool refused_ = false;            ///< it has closed that channel just now
    bool ready_ = false;
    bool held_up_ = false;                   ///< by a socket that takes no more
    boost::asio::steady_timer opening_{io_}; ///< the channel; declarations look after themselves
    std::vector<outgoing> taken_;
    std::vector<buffer> used_; ///< frames that were sent, for the next messages
    std::deque<outgoing> waiting_;
    confirm_window window_;
    boost::asio::steady_timer sweep_{io_};
    bool sweeping_ = false;
    std::vector<outgoing> ended_;
    std::function<void()> stopped_;
    std::function<void()> close_; ///< the last step of stopping
    std::chrono::steady_clock::time_point stop_deadline_;
};

} // namespace ferry::amqp

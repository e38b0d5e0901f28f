#pragma once

#include "connection.hpp"
#include "poison_guard.hpp"
#include "read_pace.hpp"
#include "settlement_log.hpp"

#include <ferry/envelope.hpp>
#include <ferry/transport.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ferry::amqp {

class consumer;

/// Who looks after consumers: opens their channels again when the broker has closed them.
class consumer_keeper {
public:
    virtual void needs_repair(consumer& which, const std::string& reason) = 0;
    /// It was in need of repair, and is not any more.
    virtual void is_well(consumer& which) = 0;
    virtual void has_ended(consumer& which) = 0;
    /// The type of a message that says none.
    [[nodiscard]] virtual std::string type_of(const std::string& routing_key, const std::string& queue) const = 0;
    /// Puts a message into a queue, unless nothing can be sent right now, which is said at once.
    virtual void send(const envelope& message, const std::string& queue, send_callback on_outcome) = 0;
    /// The moment, for those who read what is written down.
    [[nodiscard]] virtual time_point now() const = 0;
    virtual void tell(const std::string& what) = 0;
    /// How long what could not be done is left alone.
    [[nodiscard]] virtual duration pause() const = 0;
    /// How long the broker may take to answer.
    [[nodiscard]] virtual duration patience() const = 0;

protected:
    ~consumer_keeper() = default;
};

/// One subscription and its channel. Deliveries refer to it for as long as they are not settled, so it stays until the
/// last of them is: it counts who needs it.
class consumer final : public delivery_origin {
public:
    struct source {
        std::string queue;
        std::string dead_letters; ///< ferry's own queue for them; empty when it has none
        bool takes_rejected;      ///< the broker has a place for what is rejected
        bool takes_turns;         ///< of several consumers one gets everything
        poison_guard guard;
    };
    consumer(boost::asio::io_context& io, consumer_keeper& keeper, source from, const consume_options& options,
             delivery_sink& sink);
    consumer(const consumer&) = delete;
    consumer& operator=(const consumer&) = delete;
    virtual ~consumer(); ///< by whoever needs it last, and nobody else

    // From any thread.
    void pause() { change(mode::paused); }
    void resume() { change(mode::running); }
    void resume_for_one() { change(mode::one); }
    void end() { change(mode::ended); }
    void settle(delivered_message message, verdict outcome) noexcept override;
    /// It is paused, or what is in its queue comes.
    [[nodiscard]] bool does_what_it_should() const;

    // On the I/O thread.
    /// Calls back once, when the broker has said for the first time that it consumes, or never will.
    void when_begun(std::function<void(std::exception_ptr)> begun) { begun_ = std::move(begun); }
    void open(connection& on);
    /// The channel is gone. What was delivered on it belongs to the broker again.
    void lost() noexcept;
    /// The same, when the connection is there: somebody has to do something about it.
    void broken(const std::string& reason);
    /// What came with a read at that moment is to be handed over; it takes part in the pace of the next.
    void read_done(arrival_rate::moment now, read_pace& pace);
    /// Tells the broker what was settled.
    void flush();
    /// The transport stops: nothing is told to anybody any more.
    void close();

    [[nodiscard]] const std::string& queue() const noexcept { return from_.queue; }
    [[nodiscard]] bool is_open() const noexcept { return channel_ != nullptr; }
    /// The broker has said that it consumes, and nobody has said otherwise since.
    [[nodiscard]] bool is_consuming() const noexcept { return consuming_; }
    /// A look of the watchdog: so many messages wait in the queue. True when that was so at the last look already, and
    /// none has come since, although there is room.
    [[nodiscard]] bool is_starved(std::uint32_t waiting);
    /// It was broken, and does not do again what it should.
    [[nodiscard]] bool is_ailing() const noexcept { return ailing_; }

    friend void intrusive_ptr_add_ref(const consumer* which) noexcept { ++which->references_; }
    friend void intrusive_ptr_release(const consumer* which) noexcept {
        if (--which->references_ == 0) {
            delete which;
        }
    }

private:
    enum class mode : unsigned char { running, paused, one, ended };
    struct settled_delivery {
        std::uint64_t tag;
        verdict outcome;
    };

    [[nodiscard]] mode wanted() const;
    void change(mode to);
    void adjust_soon();
    void adjust();
    void begin(mode how);
    void cancel();
    void received(const AMQP::Message& message, std::uint64_t tag, bool redelivered);
    struct taken {
        delivered_message message;
        poison_guard::advice advice = poison_guard::advice::hand_out;
    };
    [[nodiscard]] taken unpacked(const AMQP::Message& message, std::uint64_t tag, bool redelivered);
    void pass_on(delivery next);
    void count(delivery held);
    void give_up(delivery held);
    void give_back_later(delivery held);
    void moved(delivery original);
    void move_ended();
    [[nodiscard]] std::size_t take_turn();
    void end_turn();
    void hand_over();
    void flush_in_a_moment();
    void moment_is_over();
    void expect_answer();
    void answered(std::uint64_t generation);
    void await_answer();
    void refused(const std::string& answer);
    void recovered();
    void tell_begun(const std::exception_ptr& failure);
    [[nodiscard]] std::uint64_t marked(std::uint64_t tag) const noexcept;

    mutable std::atomic<std::size_t> references_{0};
    boost::asio::io_context& io_;
    consumer_keeper& keeper_;
    const source from_;
    const std::size_t prefetch_;
    delivery_sink& sink_;

    mutable std::mutex mutex_;
    std::condition_variable idle_;
    mode mode_ = mode::running;
    std::thread::id delivering_;
    std::vector<settled_delivery> settled_;
    bool posted_ = false;
    bool flushes_soon_ = false; ///< with the next read, or when a moment is over
    bool closed_ = false;

    boost::asio::steady_timer moment_{io_};
    boost::asio::steady_timer answer_{io_}; ///< when the next answer has to be there
    std::size_t unanswered_ = 0;
    connection* connection_ = nullptr;
    std::unique_ptr<AMQP::Channel> channel_;
    std::uint64_t generation_ = 0;
    settlement_log log_;
    std::vector<settlement_log::instruction> instructions_;
    std::vector<settled_delivery> flushing_;
    std::vector<delivery> batch_;
    arrival_rate rate_;
    std::size_t moving_ = 0; // messages whose copies are on their way, or which the broker still has to take off
    std::vector<delivery> suspects_; // what has come before and waits until nothing moves
    envelope scratch_;
    std::uint64_t tags_ = 0;
    std::string tag_;
    mode active_ = mode::paused;
    std::atomic<bool> consuming_{false};
    std::uint64_t received_ = 0;
    std::uint64_t received_before_look_ = 0;
    bool hungry_ = false; ///< at the last look
    bool ailing_ = false;
    std::function<void(std::exception_ptr)> begun_;
};

using consumer_ptr = boost::intrusive_ptr<consumer>;

} // namespace ferry::amqp

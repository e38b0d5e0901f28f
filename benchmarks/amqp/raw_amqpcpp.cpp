// AMQP-CPP over Asio without anything of ferry: what a good programmer would write by hand for this one purpose.

#include "contest.hpp"

#include <amqpcpp.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace ferry::benchmarks;

/// A connection: everything that is written in one turn leaves in one write.
class wire final : public AMQP::ConnectionHandler {
public:
    wire(asio::io_context& io, const AMQP::Address& where) : io_{io} {
        asio::ip::tcp::resolver resolver{io};
        asio::connect(socket_, resolver.resolve(where.hostname(), std::to_string(where.port())));
        socket_.set_option(asio::ip::tcp::no_delay{true});
        connection_ = std::make_unique<AMQP::Connection>(this, where.login(), where.vhost());
        read();
    }
    wire(const wire&) = delete;
    wire& operator=(const wire&) = delete;
    ~wire() override { ended_ = true; }

    [[nodiscard]] AMQP::Connection& connection() { return *connection_; }
    void after_each_read(std::function<void()> call) { after_read_ = std::move(call); }
    void end() {
        ended_ = true;
        socket_.close();
    }

private:
    static constexpr std::size_t read_size = std::size_t{64} * 1024;

    void onData(AMQP::Connection*, const char* bytes, std::size_t size) override {
        if (ended_) {
            return;
        }
        out_.append(bytes, size);
        if (!std::exchange(flush_posted_, true)) {
            asio::post(io_, [this] {
                flush_posted_ = false;
                flush();
            });
        }
    }
    void onError(AMQP::Connection*, const char* message) override { throw std::runtime_error{message}; }
    std::uint16_t onNegotiate(AMQP::Connection*, std::uint16_t) override { return 0; }

    void flush() {
        if (writing_ || ended_ || out_.empty()) {
            return;
        }
        writing_ = true;
        on_the_way_.swap(out_);
        asio::async_write(socket_, asio::buffer(on_the_way_), [this](const auto& failure, std::size_t) {
            writing_ = false;
            on_the_way_.clear();
            if (!failure) {
                flush();
            }
        });
    }

    void read() {
        in_.resize(kept_ + read_size);
        socket_.async_read_some(asio::buffer(in_.data() + kept_, read_size),
                                [this](const auto& failure, std::size_t count) {
                                    if (!failure) {
                                        take_in(kept_ + count);
                                    }
                                });
    }

    void take_in(std::size_t available) {
        std::size_t used = 0;
        while (!ended_ && used < available) {
            const std::size_t parsed = connection_->parse(in_.data() + used, available - used);
            if (parsed == 0) {
                break;
            }
            used += parsed;
        }
        kept_ = available - used;
        std::memmove(in_.data(), in_.data() + used, kept_);
        if (after_read_) {
            after_read_();
        }
        flush();
        if (!ended_) {
            read();
        }
    }

    asio::io_context& io_;
    asio::ip::tcp::socket socket_{io_};
    std::unique_ptr<AMQP::Connection> connection_;
    std::function<void()> after_read_;
    std::vector<char> in_;
    std::size_t kept_ = 0;
    std::string out_;
    std::string on_the_way_;
    bool flush_posted_ = false;
    bool writing_ = false;
    bool ended_ = false;
};

void check(AMQP::Channel& channel) {
    channel.onError([](const char* message) { throw std::runtime_error{message}; });
}

class publishing {
public:
    publishing(asio::io_context& io, const AMQP::Address& where, const assignment& task)
        : task_{task}, wire_{io, where}, open_{task.count}, body_(task.size, 'x'), pace_{io} {
        check(channel_);
        if (!task.consumes() && task.is_paced()) {
            open_.on_each([this](std::uint64_t number) { times_.add(sent_at_[number - 1]); });
        }
    }

    void declare(const std::function<void()>& done) {
        AMQP::Table arguments;
        arguments["x-queue-type"] = task_.quorum ? "quorum" : "classic";
        channel_.declareExchange(task_.queue, AMQP::fanout, AMQP::durable);
        channel_.declareQueue(task_.queue, AMQP::durable, arguments);
        channel_.bindQueue(task_.queue, task_.queue, "").onSuccess(done);
    }

    void start(std::function<void()> done) {
        done_ = std::move(done);
        channel_.confirmSelect()
            .onSuccess([this] { task_.is_paced() ? tick(std::chrono::steady_clock::now()) : pump(); })
            .onAck([this](std::uint64_t number, bool multiple) { answered(open_.answered(number, multiple)); })
            .onNack([](std::uint64_t, bool, bool) { throw std::runtime_error{"the broker refused a message"}; });
    }

    /// How long the broker took to confirm each, when that is the question.
    [[nodiscard]] travel_times& times() { return times_; }
    void end() { wire_.end(); }

private:
    void answered(std::size_t count) {
        confirmed_ += count;
        if (!task_.is_paced()) {
            pump();
        }
        if (confirmed_ == task_.count) {
            done_();
        }
    }

    void pump() {
        while (sent_ < task_.count && sent_ - confirmed_ < task_.window) {
            publish();
        }
    }

    void tick(std::chrono::steady_clock::time_point due) {
        if (sent_ == task_.count) {
            return;
        }
        pace_.expires_at(due);
        pace_.async_wait([this, due](const auto&) {
            const std::int64_t now = nanoseconds_now();
            std::memcpy(body_.data(), &now, sizeof now);
            sent_at_.push_back(now);
            publish();
            tick(due + std::chrono::nanoseconds{std::chrono::seconds{1}} / task_.rate);
        });
    }

    void publish() {
        AMQP::Envelope message{body_.data(), body_.size()};
        message.setPersistent();
        message.setContentType("application/octet-stream");
        if (task_.full_properties) {
            add_properties(message);
        }
        channel_.publish(task_.queue, "", message);
        ++sent_;
    }

    /// As many and as long ones as ferry writes, so that the broker has the same to do.
    static void add_properties(AMQP::Envelope& message) {
        static const std::string id = "0190e1a8-0000-7000-8000-000000000001";
        message.setMessageID(id);
        message.setTypeName("urn:message:bench:order-placed");
        message.setAppID("queue:bench." + id);
        message.setTimestamp(1'900'000'000);
    }

    const assignment& task_;
    wire wire_;
    AMQP::Channel channel_{&wire_.connection()};
    confirms open_;
    std::string body_;
    asio::steady_timer pace_;
    travel_times times_;
    std::vector<std::int64_t> sent_at_;
    std::size_t sent_ = 0;
    std::size_t confirmed_ = 0;
    std::function<void()> done_;
};

class consuming {
public:
    consuming(asio::io_context& io, const AMQP::Address& where, const assignment& task)
        : task_{task}, wire_{io, where} {
        check(channel_);
    }

    void start(std::function<void()> ready, std::function<void()> first, std::function<void()> done) {
        first_ = std::move(first);
        done_ = std::move(done);
        channel_.setQos(static_cast<std::uint16_t>(task_.prefetch));
        channel_.consume(task_.queue)
            .onSuccess([ready = std::move(ready)] { ready(); })
            .onReceived([this](const AMQP::Message& message, std::uint64_t tag, bool) { received(message, tag); });
        if (task_.acknowledge_many) {
            wire_.after_each_read([this] { acknowledge_all(); });
        }
    }

    [[nodiscard]] travel_times& times() { return times_; }
    void end() { wire_.end(); }

private:
    void received(const AMQP::Message& message, std::uint64_t tag) {
        if (received_++ == 0) {
            first_();
        }
        if (task_.is_paced()) {
            std::int64_t sent_at = 0;
            std::memcpy(&sent_at, message.body(), sizeof sent_at);
            times_.add(sent_at);
        }
        if (task_.acknowledge_many) {
            latest_ = tag;
        } else {
            channel_.ack(tag);
        }
        if (received_ == task_.count) {
            acknowledge_all();
            done_();
        }
    }

    void acknowledge_all() {
        if (const std::uint64_t tag = std::exchange(latest_, 0); tag != 0) {
            channel_.ack(tag, AMQP::multiple);
        }
    }

    const assignment& task_;
    wire wire_;
    AMQP::Channel channel_{&wire_.connection()};
    travel_times times_;
    std::size_t received_ = 0;
    std::uint64_t latest_ = 0;
    std::function<void()> first_;
    std::function<void()> done_;
};

/// Publishes, consumes or does both on one thread, with a connection for each.
class contest {
public:
    explicit contest(const assignment& task) : task_{task} {}

    void run() {
        publishing_.declare([this] { task_.consumes() ? consume() : publish(); });
        io_.run();
        report(task_, watch_, task_.consumes() ? consuming_.times() : publishing_.times());
    }

private:
    void publish() {
        watch_.start();
        publishing_.start([this] { part_done(); });
    }

    void consume() {
        consuming_.start(
            [this] {
                if (task_.publishes()) {
                    publish();
                }
            },
            [this] {
                if (!task_.publishes()) {
                    watch_.start();
                }
            },
            [this] { part_done(); });
    }

    void part_done() {
        if (--parts_ == 0) {
            watch_.stop();
            asio::post(io_, [this] { // the last acknowledgements leave first
                asio::post(io_, [this] {
                    publishing_.end();
                    consuming_.end();
                });
            });
        }
    }

    const assignment& task_;
    asio::io_context io_{1};
    AMQP::Address where_{task_.url};
    publishing publishing_{io_, where_, task_};
    consuming consuming_{io_, where_, task_};
    stopwatch watch_;
    int parts_ = task_.publishes() && task_.consumes() ? 2 : 1;
};

} // namespace

int main(int count, char** arguments) {
    try {
        const assignment task = read_assignment(count, arguments);
        contest{task}.run();
    } catch (const std::exception& wrong) {
        std::cerr << wrong.what() << '\n';
        return 1;
    }
}

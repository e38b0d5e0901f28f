// rabbitmq-c without anything of ferry: a blocking client, with a thread and a connection for each direction.

#include "contest.hpp"

#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/tcp_socket.h>

#include <cstring>
#include <iostream>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace ferry::benchmarks;

constexpr amqp_channel_t channel = 1;

amqp_bytes_t bytes_of(const std::string& text) { return {.len = text.size(), .bytes = const_cast<char*>(text.data())}; }

void require(bool good, const char* what) {
    if (!good) {
        throw std::runtime_error{std::string{"rabbitmq-c: "} + what};
    }
}

class connection {
public:
    explicit connection(const assignment& task) : task_{task} {
        std::string url = task.url; // is cut into pieces
        amqp_connection_info where{};
        require(amqp_parse_url(url.data(), &where) == AMQP_STATUS_OK, "the URL cannot be read");
        require(amqp_socket_open(amqp_tcp_socket_new(state_), where.host, where.port) == AMQP_STATUS_OK, "no server");
        const auto login =
            amqp_login(state_, where.vhost, 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, where.user, where.password);
        require(login.reply_type == AMQP_RESPONSE_NORMAL, "no login");
        require(amqp_channel_open(state_, channel) != nullptr, "no channel");
    }
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection() { amqp_destroy_connection(state_); }

    void declare() {
        char type_name[] = "x-queue-type";
        amqp_table_entry_t entry{};
        entry.key = amqp_cstring_bytes(type_name);
        entry.value.kind = AMQP_FIELD_KIND_UTF8;
        entry.value.value.bytes = amqp_cstring_bytes(task_.quorum ? "quorum" : "classic");
        const amqp_bytes_t name = bytes_of(task_.queue);
        amqp_exchange_declare(state_, channel, name, amqp_cstring_bytes("fanout"), 0, 1, 0, 0, amqp_empty_table);
        amqp_queue_declare(state_, channel, name, 0, 1, 0, 0, {.num_entries = 1, .entries = &entry});
        require(amqp_queue_bind(state_, channel, name, name, amqp_empty_bytes, amqp_empty_table) != nullptr,
                "no queue");
    }

    void select_confirms() { require(amqp_confirm_select(state_, channel) != nullptr, "no confirms"); }

    void publish(const std::string& body) {
        amqp_basic_properties_t properties{};
        properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_CONTENT_TYPE_FLAG;
        properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
        properties.content_type = amqp_cstring_bytes("application/octet-stream");
        require(amqp_basic_publish(state_, channel, bytes_of(task_.queue), amqp_empty_bytes, 0, 0, &properties,
                                   bytes_of(body)) == AMQP_STATUS_OK,
                "not published");
        ++sent_;
    }

    [[nodiscard]] std::size_t unconfirmed() const { return sent_ - confirmed_; }

    /// Takes a confirm, and waits for it if told so. False when there was none.
    bool take_confirm(bool wait) {
        amqp_frame_t frame{};
        timeval at_once{};
        const int status = amqp_simple_wait_frame_noblock(state_, &frame, wait ? nullptr : &at_once);
        if (status == AMQP_STATUS_TIMEOUT) {
            return false;
        }
        require(status == AMQP_STATUS_OK, "no confirm");
        if (frame.frame_type == AMQP_FRAME_METHOD && frame.payload.method.id == AMQP_BASIC_ACK_METHOD) {
            const auto& answer = *static_cast<amqp_basic_ack_t*>(frame.payload.method.decoded);
            confirmed_ += confirms_.answered(answer.delivery_tag, answer.multiple != 0);
        }
        amqp_maybe_release_buffers(state_);
        return true;
    }

    void consume() {
        amqp_basic_qos(state_, channel, 0, static_cast<std::uint16_t>(task_.prefetch), 0);
        require(amqp_basic_consume(state_, channel, bytes_of(task_.queue), amqp_empty_bytes, 0, 0, 0,
                                   amqp_empty_table) != nullptr,
                "not consuming");
    }

    /// Waits for the next message and passes its body on, then acknowledges it.
    template <typename Function> void next(Function function) {
        amqp_envelope_t message{};
        amqp_maybe_release_buffers(state_);
        require(amqp_consume_message(state_, &message, nullptr, 0).reply_type == AMQP_RESPONSE_NORMAL, "no message");
        function(static_cast<const char*>(message.message.body.bytes));
        amqp_basic_ack(state_, channel, message.delivery_tag, 0);
        amqp_destroy_envelope(&message);
    }

private:
    const assignment& task_;
    amqp_connection_state_t state_ = amqp_new_connection();
    confirms confirms_{task_.count};
    std::size_t sent_ = 0;
    std::size_t confirmed_ = 0;
};

void publish(const assignment& task, connection& to) {
    std::string body(task.size, 'x');
    const auto interval = std::chrono::nanoseconds{std::chrono::seconds{1}} / task.rate;
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < task.count; ++i) {
        if (task.is_paced()) {
            std::this_thread::sleep_until(began + i * interval);
            const std::int64_t now = nanoseconds_now();
            std::memcpy(body.data(), &now, sizeof now);
        }
        to.publish(body);
        if (to.unconfirmed() >= task.window) {
            to.take_confirm(true);
            while (to.take_confirm(false)) {}
        }
    }
    while (to.unconfirmed() > 0) {
        to.take_confirm(true);
    }
}

void consume(const assignment& task, connection& from, stopwatch& watch, travel_times& times) {
    for (std::size_t i = 0; i < task.count; ++i) {
        from.next([&](const char* body) {
            if (i == 0 && !task.publishes()) {
                watch.start();
            }
            if (task.is_paced()) {
                std::int64_t sent_at = 0;
                std::memcpy(&sent_at, body, sizeof sent_at);
                times.add(sent_at);
            }
        });
    }
}

void run(const assignment& task) {
    stopwatch watch;
    travel_times times;
    connection outwards{task};
    outwards.declare();
    connection inwards{task};
    std::jthread consumer;
    if (task.consumes()) {
        inwards.consume();
    }
    if (task.publishes()) {
        outwards.select_confirms();
        watch.start();
    }
    if (task.consumes()) {
        consumer = std::jthread{[&] { consume(task, inwards, watch, times); }};
    }
    if (task.publishes()) {
        publish(task, outwards);
    }
    if (consumer.joinable()) {
        consumer.join();
    }
    watch.stop();
    report(task, watch, times);
}

} // namespace

int main(int count, char** arguments) {
    try {
        run(read_assignment(count, arguments));
    } catch (const std::exception& wrong) {
        std::cerr << wrong.what() << '\n';
        return 1;
    }
}

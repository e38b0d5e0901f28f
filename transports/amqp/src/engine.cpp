#include "engine.hpp"

#include "broker_plan.hpp"
#include "topology_check.hpp"

#include <boost/asio/post.hpp>

#include <atomic>
#include <future>
#include <latch>
#include <utility>

namespace ferry::amqp {

namespace {

class consumer_subscription final : public subscription {
public:
    explicit consumer_subscription(consumer_ptr which) : consumer_{std::move(which)} {}
    ~consumer_subscription() override { consumer_->end(); }

    void pause() override { consumer_->pause(); }
    void resume() override { consumer_->resume(); }
    void resume_for_one() override { consumer_->resume_for_one(); }
    [[nodiscard]] bool is_consuming() const override { return consumer_->does_what_it_should(); }

private:
    consumer_ptr consumer_;
};

/// What one thread waits for, and others may give; only the first counts.
class answer {
public:
    [[nodiscard]] std::future<void> future() { return promise_.get_future(); }
    void give(const std::exception_ptr& failure) {
        if (given_.test_and_set()) {
            return;
        }
        if (failure) {
            promise_.set_exception(failure);
        } else {
            promise_.set_value();
        }
    }

private:
    std::promise<void> promise_;
    std::atomic_flag given_;
};

} // namespace

engine::engine(const connection_settings& settings, const transport_host& host)
    : settings_{settings},
      io_{host.io},
      give_up_{host.give_up},
      publisher_{host.io, settings_, book_, host.now, host.log},
      consuming_{host.io, settings_, book_, publisher_, host.now, host.log} {
    boost::asio::post(io_, [this] { publisher_.start(); });
}

engine::~engine() = default;

// Consumers first: what they have settled counts, and what they still hold goes back.
void engine::stop() {
    const auto stopped = std::make_shared<std::latch>(2); // shared: who counts down last may be slower than who waits
    consuming_.stop([stopped] { stopped->count_down(); });
    publisher_.stop([stopped] { stopped->count_down(); });
    stopped->wait();
}

// What the options name beside the bus's own comes with the first topology, which is that of the whole bus.
void engine::declare(const topology& wanted) {
    const transport_options& options = settings_.options;
    const topology all = own_declared_ ? wanted : with_own(wanted, options.topology);
    std::vector<std::string> problems;
    check_own_ways(all, options, problems);
    if (!problems.empty()) {
        throw transport_error{problems.front(), false};
    }
    if (!book_.has_all(all)) { // or it is there, and every new connection sees to that
        // A service that starts waits for its broker; one that runs tells whoever sends that there is none.
        wait_for([&](auto asker, auto done) { publisher_.declare(all, std::move(asker), std::move(done)); },
                 own_declared_ ? std::optional{options.send_timeout} : options.give_up_after);
        book_.add(all);
    }
    own_declared_ = true;
}

void engine::wait_for(const question& ask, std::optional<duration> limit) const {
    if (io_.get_executor().running_in_this_thread()) {
        throw error{"the RabbitMQ transport cannot ask the broker inside one of its own callbacks, which the answer "
                    "would have to wait for; do this on another thread"};
    }
    const auto said = std::make_shared<answer>();
    std::future<void> answered = said->future();
    ask(said, [from = std::weak_ptr{said}](const std::exception_ptr& failure) {
        if (const auto waiting = from.lock()) {
            waiting->give(failure);
        }
    });
    const std::stop_callback giving_up{
        give_up_,
        [said] { said->give(std::make_exception_ptr(transport_error{"nobody waits for RabbitMQ any more", false})); }};
    if (limit && answered.wait_for(*limit) == std::future_status::timeout) {
        throw transport_error{
            (publisher_.way().is_up() ? "no answer in time from RabbitMQ at " : "there is no RabbitMQ at ") +
            settings_.url.to_string() + ": " + health().last_error};
    }
    answered.get();
}

std::unique_ptr<subscription> engine::consume(const std::string& queue, const consume_options& options,
                                              delivery_sink& sink) {
    if (options.prefetch == 0) {
        throw error{"a subscription to " + queue + " with a prefetch of 0 would never get anything; set at least 1"};
    }
    const std::optional<duration> limit = settings_.options.give_up_after; // this is a part of starting, whenever it is
    if (!book_.find(queue)) {
        wait_for([&](auto asker, auto done) { publisher_.require(queue, std::move(asker), std::move(done)); }, limit);
    }
    std::unique_ptr<subscription> made;
    wait_for(
        [&](const auto&, auto done) {
            made = std::make_unique<consumer_subscription>(consuming_.add(queue, options, sink, std::move(done)));
        },
        limit);
    return made;
}

// Whoever asks wants to know what is wrong now; of two that are well, or two that are not, the later one tells more.
transport_health engine::health() const {
    const link& out = publisher_.way();
    const link& in = consuming_.way();
    const bool sending_well = out.is_up() && !publisher_.is_blocked();
    const bool consuming_well = !consuming_.is_needed() || (in.is_up() && !consuming_.is_ailing());
    const bool ask_out = sending_well == consuming_well ? out.last_error_at() >= in.last_error_at() : !sending_well;
    return {.name = "rabbitmq",
            .connected = sending_well && consuming_well,
            .last_error = (ask_out ? out : in).last_error(),
            .sending = sending_well};
}

} // namespace ferry::amqp

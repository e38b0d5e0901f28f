#pragma once

#include <ferry/consumer.hpp>
#include <ferry/counters.hpp>
#include <ferry/dispatcher.hpp>
#include <ferry/endpoint_control.hpp>
#include <ferry/log.hpp>
#include <ferry/pipeline_plan.hpp>
#include <ferry/receive_context.hpp>
#include <ferry/settings.hpp>
#include <ferry/testing/manual_clock.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ferry::middleware {

using namespace std::chrono_literals;

struct order_placed {
    std::string order_id;
};
struct parcel_sent {
    std::string parcel_id;
};

/// Takes what stages send, and fails when it is told to.
class recording_bus final : public dispatcher {
public:
    using envelope_sender::send_now;
    void send_now(std::span<const envelope> messages, observation*) override {
        if (failure) {
            std::rethrow_exception(failure);
        }
        sent.insert(sent.end(), messages.begin(), messages.end());
    }
    void dispatch_and_wait(const outgoing_message& message, dispatch_context& context) override {
        if (dispatch_failure) {
            std::rethrow_exception(dispatch_failure);
        }
        context.envelope.kind = message.kind;
        context.envelope.message_type = message.message.type->urn;
        context.envelope.correlation_id = message.cause->correlation_id;
        message.message.type->default_codec().encode(message.message.object, context.envelope.body);
        if (context.collector != nullptr && message.token != nullptr) {
            context.collector->schedule(context.envelope);
        } else if (context.collector != nullptr) {
            context.collector->collect(context.envelope);
        } else {
            send_now(context.envelope);
        }
    }
    void dispatch_and_wait(const outgoing_message& message) override {
        dispatch_context context;
        dispatch_and_wait(message, context);
    }
    void request_and_wait(const outgoing_message&, duration, std::move_only_function<void(const envelope&)>) override {}
    [[nodiscard]] time_point now() const override { return {}; }
    [[nodiscard]] schedule_token next_token() override { return {ids_.next({})}; }
    bool cancel(const schedule_token&) override { return false; }

    std::vector<envelope> sent;
    std::exception_ptr failure;
    std::exception_ptr dispatch_failure; ///< of messages made here, while those passed on still get through

private:
    id_source ids_{1};
};

/// Remembers what it was given to keep.
class recording_scheduler final : public scheduler {
public:
    void keep(std::span<const envelope> messages) override {
        kept.insert(kept.end(), messages.begin(), messages.end());
    }
    bool cancel(const schedule_token&) override { return false; }
    [[nodiscard]] counts count() const override { return {}; }

    std::vector<envelope> kept;
};

/// Remembers what stages ask of their endpoint.
class recording_control final : public endpoint_control {
public:
    void hold(std::string_view holder, time_point until) override { held.insert_or_assign(std::string{holder}, until); }
    void release(std::string_view holder) override { held.erase(std::string{holder}); }
    void report(std::string_view failure) override { last_error = failure; }

    std::map<std::string, time_point> held;
    std::string last_error;
};

/// A delivery that nobody settles; its bytes are all a context needs.
class quiet_origin final : public delivery_origin {
public:
    void settle(delivered_message, verdict) noexcept override {}
};

/// One endpoint with the consumers of a test, and one message at a time.
class stage_test : public ::testing::Test {
protected:
    /// Adds a consumer whose pipeline is the handler alone.
    template <typename Message>
    void consume(std::function<void(const Message&, consume_context&)> handle, exception_policy policy = {}) {
        policy.seal();
        const auto call = [](consume_context& message, next<consume_context>) {
            message.consumer().handler().handle(message);
        };
        consumers_.push_back(std::make_unique<consumer>(
            consumer_settings{.name = "consumer " + std::to_string(consumers_.size()), .policy = std::move(policy)},
            consumer_role::subscriber,
            std::make_shared<typed_handler<Message, std::function<void(const Message&, consume_context&)>>>(
                std::move(handle)),
            pipeline<consume_context>{std::vector{stage<consume_context>{"call", call}}}));
        runs_.push_back(std::make_unique<consumer_run>(*consumers_.back(), bus));
    }

    /// Begins a message; `fill` says what is in its envelope.
    receive_context& received(const std::function<void(envelope&)>& fill = [](envelope&) {}) {
        envelope content;
        content.message_type = message_type::of<order_placed>().urn;
        content.body = buffer{R"({"order_id":"17"})"};
        fill(content);
        return received(packed_envelope{content});
    }
    receive_context& received(packed_envelope bytes) {
        std::vector<consumer_run*> runs;
        for (const auto& each : runs_) {
            runs.push_back(each.get());
        }
        context_ = std::make_unique<receive_context>(endpoint, std::move(runs), stopping.get_token());
        context_->open(delivery{{std::move(bytes), 1, 0}, origin_});
        return *context_;
    }

    /// Runs one stage with `rest` behind it.
    template <typename Stage>
    void run(const Stage& stage, receive_context& message, std::function<void(receive_context&)> rest = {}) {
        const pipeline<receive_context> stages{
            {{Stage::key, stage}, {"rest", [this, rest](receive_context& passed, next<receive_context>) {
                                       ++passed_on;
                                       if (rest) {
                                           rest(passed);
                                       }
                                   }}}};
        stages(message);
    }

    /// Runs one stage of the first consumer's pipeline with its handler behind it.
    template <typename Stage> consume_context& run_consumer(const Stage& stage, receive_context& message) {
        consumer_run& run = *message.consumers().front();
        run.decode(message);
        const pipeline<consume_context> stages{
            {{Stage::key, stage}, {"handler", [](consume_context& each, next<consume_context>) {
                                       each.consumer().handler().handle(each);
                                   }}}};
        stages(run.context());
        return run.context();
    }

    endpoint_settings endpoint{.name = "billing",
                               .address = address::queue("billing"),
                               .error_queue = "billing_error",
                               .skipped_queue = "billing_skipped"};
    recording_bus bus;
    recording_scheduler schedules;
    recording_control control;
    bus_counters counters;
    std::vector<std::string> lines;
    log_function log = [this](log_level, std::string_view line) { lines.emplace_back(line); };
    std::stop_source stopping;
    testing::manual_clock time;
    int passed_on = 0;

private:
    quiet_origin origin_;
    std::vector<std::unique_ptr<consumer>> consumers_;
    std::vector<std::unique_ptr<consumer_run>> runs_;
    std::unique_ptr<receive_context> context_;
};

} // namespace ferry::middleware

#pragma once

#include "shop.hpp"

#include <ferry/consumer.hpp>
#include <ferry/exception_summary.hpp>
#include <ferry/observer.hpp>

#include <memory>
#include <string>
#include <utility>

namespace ferry::scenarios {

inline std::string last_part(const std::string& urn) { return urn.substr(urn.rfind(':') + 1); }

/// Notes what it hears, with the name of the work before it.
class noting final : public observation {
public:
    noting(record<std::string>& notes, std::string name) : notes_{notes}, name_{std::move(name)} { note("begins"); }
    ~noting() override { note("ends"); }

    void happened(const occurrence& what) noexcept override {
        note(std::string{to_string(what.kind)} + (what.reason ? ": " + summary_of(what.reason).text : ""));
    }
    void failed(const std::exception_ptr& thrown) noexcept override { note("fails: " + summary_of(thrown).text); }
    void answered(const send_outcome& outcome) noexcept override {
        note(outcome.status == send_status::confirmed ? "is confirmed" : "is not confirmed");
    }
    void includes(const envelope& message) noexcept override { note("includes " + last_part(message.message_type)); }

private:
    void note(const std::string& what) { notes_.add(name_ + " " + what); }

    record<std::string>& notes_;
    std::string name_;
};

class note_taker final : public observer {
public:
    explicit note_taker(record<std::string>& notes) : notes_{notes} {}

    std::unique_ptr<observation> dispatching(dispatch_context& message) override {
        message.envelope.headers.set("seen", "by the observer");
        return noted("dispatch", message.envelope);
    }
    std::unique_ptr<observation> receiving(receive_context& message) override {
        return noted("delivery", message.envelope());
    }
    std::unique_ptr<observation> handling(consume_context& message) override {
        return noted("attempt", message.envelope());
    }
    std::unique_ptr<observation> committing(std::string_view endpoint, std::size_t count) override {
        return std::make_unique<noting>(notes_, "commit of " + std::to_string(count) + " at " + std::string{endpoint});
    }
    std::unique_ptr<observation> relaying(std::size_t count) override {
        return std::make_unique<noting>(notes_, "relay of " + std::to_string(count));
    }
    std::unique_ptr<observation> sending_scheduled(const envelope& message) override {
        return noted("schedule", message);
    }

private:
    std::unique_ptr<observation> noted(const std::string& work, const envelope& message) {
        return std::make_unique<noting>(notes_, work + " of " + last_part(message.message_type));
    }

    record<std::string>& notes_;
};

} // namespace ferry::scenarios

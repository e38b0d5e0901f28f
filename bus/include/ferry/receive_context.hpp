#pragma once

#include <ferry/delivery.hpp>
#include <ferry/envelope.hpp>
#include <ferry/features.hpp>
#include <ferry/observer.hpp>

#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ferry {

class consumer;
class consumer_run;
class delivery_group;
struct endpoint_settings;
struct exception_rule;

/// How a message ended at this endpoint.
enum class settlement : unsigned char {
    handled,       ///< every consumer it was for has succeeded
    skipped,       ///< nobody here handles its type; it went to the skipped queue
    dead_lettered, ///< it went to the error queue, or its requester was told
    expired,       ///< nobody wants it any more
    discarded,     ///< a policy says to forget it
    redelivered,   ///< it comes again later, for those consumers that failed
    returned,      ///< it goes back to its queue
    rejected,      ///< the broker's own dead-lettering takes it
};

[[nodiscard]] std::string_view to_string(settlement outcome) noexcept;
/// What the broker is told for each of them.
[[nodiscard]] verdict verdict_of(settlement outcome) noexcept;

/// A consumer that could not do its work on a message.
struct consumer_failure {
    const ferry::consumer* consumer = nullptr; ///< none when the message failed before any consumer had it
    std::exception_ptr thrown;
    int attempts = 0;                     ///< how often its handler was called; not at all for a body nobody can read
    const exception_rule* rule = nullptr; ///< what its policy says of that exception, if anything
};

/// One delivery, as the receive pipeline sees it. It belongs to a slot and is used for one message after the other.
class receive_context {
public:
    receive_context(const endpoint_settings& endpoint, std::vector<consumer_run*> consumers, std::stop_token stopping);
    receive_context(const receive_context&) = delete;
    receive_context& operator=(const receive_context&) = delete;
    ~receive_context() = default;

    /// Begins a message. An envelope that cannot be read does not throw here but shows as `damage`, so that it ends in
    /// the error queue like any other bad message.
    void open(const delivery& taken);

    [[nodiscard]] const ferry::envelope& envelope() const noexcept { return envelope_; }
    [[nodiscard]] ferry::envelope& envelope() noexcept { return envelope_; }
    [[nodiscard]] std::uint32_t earlier_deliveries() const noexcept { return earlier_deliveries_; }
    [[nodiscard]] const endpoint_settings& endpoint() const noexcept { return endpoint_; }
    [[nodiscard]] feature_set& features() noexcept { return features_; }
    /// Requested when the bus stops; a stage that waits gives up then.
    [[nodiscard]] const std::stop_token& stopping() const noexcept { return stopping_; }
    [[nodiscard]] const std::exception_ptr& damage() const noexcept { return damage_; }

    /// All consumers of this endpoint, and those the message is for once its type has been looked at.
    [[nodiscard]] const std::vector<consumer_run*>& consumers() const noexcept { return consumers_; }
    [[nodiscard]] std::vector<consumer_run*>& targets() noexcept { return targets_; }

    /// The consumers its type and its address make it for, whether or not a stage has selected them yet.
    [[nodiscard]] bool is_for(const ferry::consumer& candidate) const;

    /// The consumers that failed, while the exception of the first of them travels outwards. A stage that deals with
    /// one takes it out.
    [[nodiscard]] std::vector<consumer_failure>& failures() noexcept { return failures_; }

    /// The group this delivery is handled in together with others; nullptr when it is alone.
    [[nodiscard]] delivery_group* group() const noexcept { return group_; }
    /// Until the next message is opened.
    void join(delivery_group& group) noexcept { group_ = &group; }

    /// Whoever observes this delivery hears of it, if anybody does.
    void tell(const occurrence& what) noexcept {
        if (observed_ != nullptr) {
            observed_->happened(what);
        }
    }
    void observe_with(observation* work) noexcept { observed_ = work; }

    void settle(settlement outcome) noexcept { settled_ = outcome; }
    /// How the message ended, once a stage has said so.
    [[nodiscard]] std::optional<settlement> settled() const noexcept { return settled_; }

private:
    const endpoint_settings& endpoint_;
    std::vector<consumer_run*> consumers_;
    std::stop_token stopping_;

    ferry::envelope envelope_;
    std::uint32_t earlier_deliveries_ = 0;
    feature_set features_;
    std::vector<consumer_run*> targets_;
    std::vector<consumer_failure> failures_;
    std::exception_ptr damage_;
    delivery_group* group_ = nullptr;
    observation* observed_ = nullptr;
    std::optional<settlement> settled_;
};

} // namespace ferry

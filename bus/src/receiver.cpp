#include "receiver.hpp"

#include <ferry/delivery_group.hpp>
#include <ferry/error.hpp>
#include <ferry/exception_summary.hpp>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace ferry {

/// A thread's worth of an endpoint: everything one message needs while it is handled, kept for the next.
class receiver::slot {
public:
    slot(receiver& owner, std::atomic<bool>& busy)
        : owner_{owner},
          busy_{busy},
          runs_{make_runs(owner)},
          context_{owner.settings_, pointers(runs_), owner.stopping_.get_token()} {}

    void work() {
        if (owner_.ports_.traces != nullptr) {
            owner_.ports_.traces->watch_this_thread(true);
        }
        while (std::optional<delivery> taken = owner_.waiting_.take()) {
            if (owner_.settings_.group_commit > 1) {
                pass_with_others(*std::move(taken));
            } else {
                pass(*std::move(taken));
            }
        }
    }

private:
    using runs = std::vector<std::unique_ptr<consumer_run>>;

    static runs make_runs(receiver& owner) {
        runs all;
        for (const auto& each : owner.consumers_) {
            all.push_back(std::make_unique<consumer_run>(*each, owner.ports_.bus));
        }
        return all;
    }
    static std::vector<consumer_run*> pointers(const runs& all) {
        std::vector<consumer_run*> each;
        std::ranges::transform(all, std::back_inserter(each), [](const auto& run) { return run.get(); });
        return each;
    }

    void pass(delivery taken) {
        busy_.store(true, std::memory_order_relaxed);
        const endpoint_gate::ticket ticket = owner_.gate_->enter();
        handle(std::move(taken));
        owner_.gate_->leave(ticket);
        busy_.store(false, std::memory_order_relaxed);
    }

    // A group of one would only cost the second look when it fails.
    void pass_with_others(delivery first) {
        std::vector<delivery> all;
        all.push_back(std::move(first));
        owner_.waiting_.take_waiting(owner_.settings_.group_commit - 1, all);
        if (all.size() > 1) {
            pass_as_group(all);
        }
        for (delivery& each : all) {
            if (each.settled()) {
                continue;
            }
            if (is_stopping()) {
                give_back(std::move(each));
            } else {
                pass(std::move(each));
            }
        }
    }

    [[nodiscard]] bool is_stopping() const { return owner_.stopping_.stop_requested(); }

    // Settles those it is done with; whoever is left runs alone.
    void pass_as_group(std::vector<delivery>& all) {
        busy_.store(true, std::memory_order_relaxed);
        const endpoint_gate::ticket ticket = owner_.gate_->enter();
        try {
            const auto work = owner_.ports_.persistence->store.work();
            delivery_group group{*work};
            claim_for(group, all);
            if (run_in(group, all)) {
                commit(*work, all);
                group.committed();
                for (delivery& each : all) {
                    finish(std::move(each), settlement::handled);
                }
            }
        } catch (...) { // the database fails: alone, each of them fails by its own policy
            owner_.ports_.log(log_level::debug,
                              owner_.settings_.name + ": a group of messages is handled one by one: " +
                                  summary_of(std::current_exception()).text,
                              {.endpoint = owner_.settings_.name});
        }
        owner_.gate_->leave(ticket);
        busy_.store(false, std::memory_order_relaxed);
    }

    void commit(unit_of_work& work, const std::vector<delivery>& all) {
        const std::unique_ptr<observation> observed = observe_commit(all);
        try {
            owner_.ports_.persistence->outbox.commit(work);
        } catch (...) {
            if (observed) {
                observed->failed(std::current_exception());
            }
            throw;
        }
    }
    std::unique_ptr<observation> observe_commit(const std::vector<delivery>& all) {
        const auto count = std::ranges::count_if(all, [](const delivery& each) { return !each.settled(); });
        std::unique_ptr<observation> observed;
        if (owner_.ports_.observer != nullptr && count > 0) {
            observed = owner_.ports_.observer->committing(owner_.settings_.name, static_cast<std::size_t>(count));
        }
        for (std::size_t i = 0; observed && i < all.size(); ++i) {
            if (!all[i].settled()) {
                context_.open(all[i]);
                observed->includes(context_.envelope());
            }
        }
        return observed;
    }

    void claim_for(delivery_group& group, const std::vector<delivery>& all) {
        if (!owner_.ports_.persistence->options.inbox) {
            return;
        }
        std::vector<inbox_claim> claims;
        for (const delivery& each : all) {
            context_.open(each);
            for (const auto& consumer : owner_.consumers_) {
                if (consumer->settings().inbox && !context_.envelope().message_id.is_nil() &&
                    context_.is_for(*consumer)) {
                    claims.push_back({context_.envelope().message_id, consumer->settings().identity});
                }
            }
        }
        group.claim(claims, owner_.ports_.now());
    }

    /// False when one of them failed, or the bus was stopped before all had begun: their claims are one with those of
    /// the others. What ends without a consumer (it has expired, say) needs no commit.
    bool run_in(delivery_group& group, std::vector<delivery>& all) {
        for (delivery& each : all) {
            if (is_stopping()) {
                return false;
            }
            context_.open(each);
            context_.join(group);
            owner_.stages_(context_);
            const settlement outcome = context_.settled().value_or(settlement::handled);
            if (group.failed() || outcome == settlement::returned) {
                return false;
            }
            if (outcome != settlement::handled) {
                finish(std::move(each), outcome);
            }
        }
        return true;
    }

    // Past the stages: whoever observes hears of it all the same, as of one that was taken and is not handled.
    void give_back(delivery taken) {
        if (owner_.ports_.observer != nullptr) {
            context_.open(taken);
            context_.settle(settlement::returned);
            (void)owner_.ports_.observer->receiving(context_);
        }
        finish(std::move(taken), settlement::returned);
    }

    void finish(delivery taken, settlement outcome) {
        if (!taken.settled()) {
            count(outcome);
            settle(std::move(taken), verdict_of(outcome));
        }
    }

    void handle(delivery taken) {
        context_.open(taken);
        try {
            owner_.stages_(context_);
        } catch (...) {
            return recover(std::move(taken));
        }
        const settlement outcome = context_.settled().value_or(settlement::handled);
        const bool goes_round = outcome == settlement::rejected && taken.earlier_deliveries() > 0;
        count(outcome);
        settle(std::move(taken), verdict_of(outcome));
        if (goes_round) { // no broker took it, so it comes again at once
            return pause();
        }
        failures_ = 0;
    }

    static void settle(delivery taken, verdict outcome) {
        switch (outcome) {
        case verdict::accept:
            return std::move(taken).accept();
        case verdict::requeue:
            return std::move(taken).requeue();
        case verdict::reject:
            return std::move(taken).reject();
        }
    }

    // Not even the failure could be dealt with. The message goes back, and the slot waits before it takes another: what
    // is wrong (the broker, the disk) is unlikely to be better in a microsecond.
    void recover(delivery taken) {
        const std::string reason = summary_of(std::current_exception()).text;
        std::move(taken).requeue();
        count(settlement::returned);
        owner_.gate_->report(reason);
        owner_.ports_.log(log_level::error, owner_.settings_.name + ": a message went back to its queue: " + reason,
                          {.endpoint = owner_.settings_.name, .message = &context_.envelope()});
        pause();
    }

    void pause() {
        const duration length = owner_.settings_.recovery.delay(failures_++);
        (void)owner_.ports_.now.wait_for(length, owner_.stopping_.get_token());
    }

    void count(settlement outcome) {
        bus_counters& counters = owner_.ports_.counters;
        switch (outcome) {
        case settlement::handled:
            ++counters.handled;
            return;
        case settlement::skipped:
            ++counters.skipped;
            return;
        case settlement::dead_lettered:
            ++counters.dead_lettered;
            return;
        case settlement::returned:
            ++counters.returned;
            return;
        case settlement::expired:
            ++counters.expired;
            return;
        case settlement::discarded:
            ++counters.discarded;
            return;
        case settlement::redelivered:
            ++counters.redelivered;
            return;
        case settlement::rejected:
            ++counters.rejected;
            return;
        }
    }

    receiver& owner_;
    std::atomic<bool>& busy_;
    runs runs_;
    receive_context context_;
    int failures_ = 0; // in a row
};

receiver::receiver(endpoint_settings settings, std::vector<std::unique_ptr<consumer>> consumers,
                   pipeline<receive_context> stages, std::unique_ptr<endpoint_gate> gate, const receiver_ports& ports)
    : settings_{std::move(settings)},
      consumers_{std::move(consumers)},
      stages_{std::move(stages)},
      gate_{std::move(gate)},
      ports_{ports},
      busy_(settings_.concurrency) {}

receiver::~receiver() { stop_taking(); }

void receiver::start(transport& carrier) {
    threads_.reserve(settings_.concurrency);
    for (std::size_t i = 0; i < settings_.concurrency; ++i) {
        start_slot(i);
    }
    subscription_ =
        carrier.consume(settings_.name, {.prefetch = settings_.prefetch, .slots = settings_.concurrency}, *this);
    gate_->open(*subscription_, waiting_);
}

// Counted before it runs, and no longer when it cannot: a stop waits for those that are there.
void receiver::start_slot(std::size_t number) {
    {
        const std::scoped_lock lock{mutex_};
        ++running_slots_;
    }
    try {
        threads_.emplace_back([this, number] {
            slot{*this, busy_[number]}.work();
            slot_ended();
        });
    } catch (const std::system_error& failure) {
        slot_ended();
        throw error{settings_.name + ": no thread could be started for slot " + std::to_string(number + 1) + " of " +
                        std::to_string(settings_.concurrency) + ": " + failure.what() +
                        "; lower the concurrency limit, or raise the limits of the process",
                    true};
    }
}

void receiver::stop_taking() {
    gate_->close();
    subscription_.reset();
    stopping_.request_stop();
    waiting_.close();
}

bool receiver::drain(time_point deadline) {
    std::unique_lock lock{mutex_};
    return ended_.wait_for(lock, std::max(duration::zero(), deadline - ports_.now()),
                           [this] { return running_slots_ == 0; });
}

endpoint_health receiver::health() const {
    endpoint_health found;
    found.name = settings_.name;
    gate_->describe(found);
    found.in_flight = static_cast<std::uint64_t>(
        std::ranges::count_if(busy_, [](const std::atomic<bool>& each) { return each.load(); }));
    return found;
}

void receiver::slot_ended() {
    const std::scoped_lock lock{mutex_};
    if (--running_slots_ == 0) {
        ended_.notify_all();
    }
}

} // namespace ferry

#pragma once

#include "fault_plan.hpp"

#include <ferry/store.hpp>

#include <memory>

namespace ferry::scenarios {

/// A store that passes everything on, and strikes around claims, commits and deletes.
class faulty_store final : public ferry::store {
public:
    faulty_store(std::unique_ptr<ferry::store> inner, fault_plan& plan) : inner_{std::move(inner)}, plan_{plan} {}

    [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
    void start(const store_host& host) override { inner_->start(host); }
    void stop() noexcept override { inner_->stop(); }
    void ensure_schema() override { inner_->ensure_schema(); }

    [[nodiscard]] std::unique_ptr<unit_of_work> work() override;
    [[nodiscard]] bool is_transient(const std::exception_ptr& failure) const noexcept override {
        return inner_->is_transient(failure);
    }
    void append_in(const native_transaction& transaction, std::span<const stored_message> outgoing,
                   std::span<const stored_message> scheduled) override {
        inner_->append_in(transaction, outgoing, scheduled);
    }

    [[nodiscard]] std::unique_ptr<outbox_batch> take(std::size_t most, time_point now, std::int64_t after) override;
    [[nodiscard]] std::vector<int> shards_due(time_point now) override { return inner_->shards_due(now); }
    [[nodiscard]] std::unique_ptr<outbox_batch> take_shard(int shard, std::size_t most, time_point now) override;
    void finish(std::span<const row_outcome> outcomes) override;
    [[nodiscard]] std::optional<time_point> next_due() override { return inner_->next_due(); }

    std::size_t promote_due(std::size_t most, time_point now) override { return inner_->promote_due(most, now); }
    bool cancel(const uuid& message) override { return inner_->cancel(message); }

    [[nodiscard]] store_counts count() override { return inner_->count(); }
    [[nodiscard]] std::vector<dead_message> dead(const dead_filter& which) override { return inner_->dead(which); }
    std::size_t replay(const dead_filter& which, time_point now) override { return inner_->replay(which, now); }
    std::size_t forget_claims(time_point before, std::size_t most) override {
        return inner_->forget_claims(before, most);
    }
    std::size_t forget_dead(time_point before, std::size_t most) override { return inner_->forget_dead(before, most); }

private:
    std::unique_ptr<ferry::store> inner_;
    fault_plan& plan_;
};

} // namespace ferry::scenarios

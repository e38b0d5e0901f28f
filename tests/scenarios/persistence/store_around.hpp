#pragma once

#include <ferry/store.hpp>

#include <memory>
#include <utility>

namespace ferry::scenarios {

/// A store that passes everything on to another one; tests change what they are about.
class store_around : public ferry::store {
public:
    explicit store_around(std::unique_ptr<ferry::store> inner) : inner_{std::move(inner)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
    void start(const store_host& host) override { inner_->start(host); }
    void stop() noexcept override { inner_->stop(); }
    void ensure_schema() override { inner_->ensure_schema(); }

    [[nodiscard]] std::unique_ptr<unit_of_work> work() override { return inner_->work(); }
    [[nodiscard]] bool is_transient(const std::exception_ptr& failure) const noexcept override {
        return inner_->is_transient(failure);
    }
    void append_in(const native_transaction& transaction, std::span<const stored_message> outgoing,
                   std::span<const stored_message> scheduled) override {
        inner_->append_in(transaction, outgoing, scheduled);
    }
    bool cancel_in(const native_transaction& transaction, const uuid& message) override {
        return inner_->cancel_in(transaction, message);
    }

    [[nodiscard]] std::unique_ptr<outbox_batch> take(std::size_t most, time_point now, std::int64_t after) override {
        return inner_->take(most, now, after);
    }
    [[nodiscard]] std::vector<int> shards_due(time_point now) override { return inner_->shards_due(now); }
    [[nodiscard]] std::unique_ptr<outbox_batch> take_shard(int shard, std::size_t most, time_point now) override {
        return inner_->take_shard(shard, most, now);
    }
    void finish(std::span<const row_outcome> outcomes) override { inner_->finish(outcomes); }
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
};

/// A unit of work that passes everything on.
class work_around : public unit_of_work {
public:
    explicit work_around(std::unique_ptr<unit_of_work> inner) : inner_{std::move(inner)} {}

    void begin() override { inner_->begin(); }
    void claim(std::span<const inbox_claim> claims, time_point now, std::span<bool> fresh) override {
        inner_->claim(claims, now, fresh);
    }
    std::vector<std::int64_t> commit() override {
        for (const stored_message& each : outgoing()) {
            inner_->append(each);
        }
        for (const stored_message& each : scheduled()) {
            inner_->schedule(each);
        }
        return inner_->commit();
    }
    [[nodiscard]] void* native(const std::type_info& type) override { return inner_->native(type); }
    [[nodiscard]] std::string_view native_names() const noexcept override { return inner_->native_names(); }

private:
    bool take_off_schedule(const uuid& message) override { return inner_->cancel(message); }

    std::unique_ptr<unit_of_work> inner_;
};

} // namespace ferry::scenarios

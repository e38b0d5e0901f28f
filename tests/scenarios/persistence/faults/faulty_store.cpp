#include "faulty_store.hpp"

#include <utility>

namespace ferry::scenarios {

namespace {

class faulty_work final : public unit_of_work {
public:
    faulty_work(std::unique_ptr<unit_of_work> inner, fault_plan& plan) : inner_{std::move(inner)}, plan_{plan} {}

    void begin() override { inner_->begin(); }
    void claim(std::span<const inbox_claim> claims, time_point now, std::span<bool> fresh) override {
        inner_->claim(claims, now, fresh);
        plan_.pass(moment::after_claim);
    }
    std::vector<std::int64_t> commit() override {
        for (const stored_message& each : outgoing()) {
            inner_->append(each);
        }
        for (const stored_message& each : scheduled()) {
            inner_->schedule(each);
        }
        plan_.pass(moment::before_commit);
        std::vector<std::int64_t> numbers = inner_->commit();
        plan_.pass(moment::after_commit);
        return numbers;
    }
    [[nodiscard]] void* native(const std::type_info& type) override { return inner_->native(type); }
    [[nodiscard]] std::string_view native_names() const noexcept override { return inner_->native_names(); }

private:
    std::unique_ptr<unit_of_work> inner_;
    fault_plan& plan_;
};

class faulty_batch final : public outbox_batch {
public:
    faulty_batch(std::unique_ptr<outbox_batch> inner, fault_plan& plan) : inner_{std::move(inner)}, plan_{plan} {}

    [[nodiscard]] std::span<const outbox_row> rows() const noexcept override { return inner_->rows(); }
    void finish(std::span<const row_outcome> outcomes) override {
        plan_.pass(moment::before_delete);
        inner_->finish(outcomes);
    }

private:
    std::unique_ptr<outbox_batch> inner_;
    fault_plan& plan_;
};

} // namespace

std::unique_ptr<unit_of_work> faulty_store::work() { return std::make_unique<faulty_work>(inner_->work(), plan_); }

std::unique_ptr<outbox_batch> faulty_store::take(std::size_t most, time_point now, std::int64_t after) {
    return std::make_unique<faulty_batch>(inner_->take(most, now, after), plan_);
}

std::unique_ptr<outbox_batch> faulty_store::take_shard(int shard, std::size_t most, time_point now) {
    std::unique_ptr<outbox_batch> taken = inner_->take_shard(shard, most, now);
    return taken ? std::make_unique<faulty_batch>(std::move(taken), plan_) : nullptr;
}

void faulty_store::finish(std::span<const row_outcome> outcomes) {
    plan_.pass(moment::before_delete);
    inner_->finish(outcomes);
}

} // namespace ferry::scenarios

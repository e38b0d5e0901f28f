#include "faulty_store.hpp"

#include <utility>

namespace ferry::scenarios {

namespace {

class faulty_work final : public work_around {
public:
    faulty_work(std::unique_ptr<unit_of_work> inner, fault_plan& plan) : work_around{std::move(inner)}, plan_{plan} {}

    void claim(std::span<const inbox_claim> claims, time_point now, std::span<bool> fresh) override {
        work_around::claim(claims, now, fresh);
        plan_.pass(moment::after_claim);
    }
    std::vector<std::int64_t> commit() override {
        plan_.pass(moment::before_commit);
        std::vector<std::int64_t> numbers = work_around::commit();
        plan_.pass(moment::after_commit);
        return numbers;
    }

private:
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

std::unique_ptr<unit_of_work> faulty_store::work() {
    return std::make_unique<faulty_work>(store_around::work(), plan_);
}

std::unique_ptr<outbox_batch> faulty_store::take(std::size_t most, time_point now, std::int64_t after) {
    return std::make_unique<faulty_batch>(store_around::take(most, now, after), plan_);
}

std::unique_ptr<outbox_batch> faulty_store::take_shard(int shard, std::size_t most, time_point now) {
    std::unique_ptr<outbox_batch> taken = store_around::take_shard(shard, most, now);
    return taken ? std::make_unique<faulty_batch>(std::move(taken), plan_) : nullptr;
}

void faulty_store::finish(std::span<const row_outcome> outcomes) {
    plan_.pass(moment::before_delete);
    store_around::finish(outcomes);
}

} // namespace ferry::scenarios

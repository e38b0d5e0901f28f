#pragma once

#include "../store_around.hpp"
#include "fault_plan.hpp"

#include <memory>

namespace ferry::scenarios {

/// A store that strikes around claims, commits and deletes.
class faulty_store final : public store_around {
public:
    faulty_store(std::unique_ptr<ferry::store> inner, fault_plan& plan) : store_around{std::move(inner)}, plan_{plan} {}

    [[nodiscard]] std::unique_ptr<unit_of_work> work() override;
    [[nodiscard]] std::unique_ptr<outbox_batch> take(std::size_t most, time_point now, std::int64_t after) override;
    [[nodiscard]] std::unique_ptr<outbox_batch> take_shard(int shard, std::size_t most, time_point now) override;
    void finish(std::span<const row_outcome> outcomes) override;

private:
    fault_plan& plan_;
};

} // namespace ferry::scenarios

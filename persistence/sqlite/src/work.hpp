#pragma once

#include "database.hpp"

#include <ferry/store.hpp>

#include <optional>

namespace ferry::sqlite {

/// A unit of work on the connection that writes. It waits for its turn when it begins, and gives it up as soon as it
/// has ended.
class work final : public unit_of_work {
public:
    explicit work(database& where) noexcept : database_{where} {}

    void begin() override;
    void claim(std::span<const inbox_claim> claims, time_point now, std::span<bool> fresh) override;
    std::vector<std::int64_t> commit() override;
    [[nodiscard]] void* native(const std::type_info& type) override;
    [[nodiscard]] std::string_view native_names() const noexcept override { return "sqlite3"; }

private:
    bool take_off_schedule(const uuid& message) override;
    [[nodiscard]] std::vector<std::int64_t> write_messages();
    void check_still_open() const;

    database& database_;
    std::optional<writing> transaction_;
    bool ended_ = false;
};

} // namespace ferry::sqlite

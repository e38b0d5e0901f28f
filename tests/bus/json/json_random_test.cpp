#include "json_support.hpp"
#include "shop.hpp"

#include <random>

namespace ferry::testing {
namespace {

/// Random messages and random damage, the same ones on every run.
class dice {
public:
    explicit dice(std::uint64_t seed) : engine_{seed} {}

    std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>{0, count - 1}(engine_); }
    bool flip() { return below(2) == 0; }
    std::uint64_t bits() { return engine_(); }

    std::string text() {
        static constexpr std::string_view pieces[]{"a",        "rope",         "\"",
                                                   "\\",       "\n",           "\x01",
                                                   "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x9a\xa2",
                                                   " ",        "{}",           "a longer piece of plain text"};
        std::string text;
        for (std::size_t count = below(8); count > 0; --count) {
            text += pieces[below(std::size(pieces))];
        }
        return text;
    }

    double number() {
        const double value = std::bit_cast<double>(bits());
        return std::isfinite(value) ? value : 0.5;
    }

    shop::order order() {
        shop::order order{.customer = text(),
                          .placed_by = static_cast<shop::channel>(below(3)),
                          .placed_at = time_point{duration{static_cast<std::int64_t>(bits())}},
                          .patience = std::chrono::milliseconds{static_cast<std::int64_t>(bits()) / 2},
                          .note = flip() ? std::optional{text()} : std::nullopt,
                          .gift = flip()};
        for (std::size_t count = below(5); count > 0; --count) {
            order.lines.push_back({text(), static_cast<std::uint8_t>(below(256)), number()});
            order.prices[text()] = static_cast<std::int64_t>(bits());
            order.signature.push_back(static_cast<std::byte>(below(256)));
        }
        if (flip()) {
            order.payment = shop::card_payment{text()};
        } else if (flip()) {
            order.payment = shop::voucher{static_cast<std::int32_t>(bits())};
        }
        return order;
    }

    void damage(std::string& json) {
        static constexpr std::string_view pieces = "{}[]\",:\\ 0123456789.eE+-truefalsn\x80\xff\n\x01";
        const std::size_t place = below(json.size());
        switch (below(5)) {
        case 0:
            json[place] = pieces[below(pieces.size())];
            break;
        case 1:
            json.insert(place, 1, pieces[below(pieces.size())]);
            break;
        case 2:
            json.erase(place, 1 + below(8));
            break;
        case 3:
            json.insert(place, json.substr(below(json.size()), 1 + below(30)));
            break;
        default:
            json[place] = static_cast<char>(bits());
        }
        if (json.empty()) {
            json = "{";
        }
    }

private:
    std::mt19937_64 engine_;
};

TEST(JsonRandom, orders_survive) {
    dice dice{20261116};
    shop::order again; // reused on purpose: what one order leaves behind must not show in the next
    for (int round = 0; round < 2'000; ++round) {
        const shop::order order = dice.order();
        const std::string json = to_json(order);
        read_into(again, json);
        ASSERT_EQ(again, order) << json;
        ASSERT_EQ(to_json(again), json);
    }
}

TEST(JsonRandom, damaged_orders_are_read_or_refused_but_nothing_worse) {
    dice dice{4711};
    shop::order message;
    int refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string json = to_json(dice.order());
        for (std::size_t count = 1 + dice.below(4); count > 0; --count) {
            dice.damage(json);
        }
        try {
            read_into(message, json);
            const std::string written = to_json(message);
            ASSERT_EQ(to_json(from_json<shop::order>(written)), written) << json;
        } catch (const decode_error& problem) {
            ASSERT_FALSE(std::string_view{problem.what()}.empty());
            ++refused;
        }
    }
    EXPECT_GT(refused, 10'000);
}

} // namespace
} // namespace ferry::testing

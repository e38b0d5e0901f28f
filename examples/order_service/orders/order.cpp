#include "order.hpp"

#include "../shared/tenant.hpp"

#include <ferry/json/json_codec.hpp>

#include <algorithm>
#include <numeric>

namespace shop {

namespace {

constexpr std::size_t most_lines = 100;
constexpr std::size_t longest_text = 64;
constexpr std::int32_t most_of_one = 1000;
constexpr std::int64_t dearest_cents = 100'000'000;

using order_codec = ferry::json_codec<order, ferry::json_policy{.missing_fields = ferry::when_missing::fail}>;

bool is_letter_or_digit(char each) {
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9');
}

bool has_fitting_length(const std::string& text) { return !text.empty() && text.size() <= longest_text; }

// What stands in the path of a URL as it is. `.` and `..` do not.
bool is_usable_id(const std::string& id) {
    return has_fitting_length(id) && is_letter_or_digit(id.front()) && std::ranges::all_of(id, [](char each) {
               return is_letter_or_digit(each) || each == '.' || each == '_' || each == '-';
           });
}

bool is_usable_article(const std::string& name) {
    return has_fitting_length(name) &&
           std::ranges::none_of(name, [](unsigned char each) { return each < 0x20 || each == 0x7f; });
}

bool is_usable(const order_line& line) {
    return is_usable_article(line.article) && line.quantity >= 1 && line.quantity <= most_of_one &&
           line.price_cents >= 0 && line.price_cents <= dearest_cents;
}

} // namespace

order read_order(std::string_view json) {
    order read;
    order_codec{}.decode(ferry::buffer{json}, &read);
    return read;
}

std::string to_json(const order& which) {
    ferry::buffer out;
    order_codec{}.encode(&which, out);
    return std::string{out.view()};
}

std::string complaint_about(const order& which) {
    if (which.order_id && !is_usable_id(*which.order_id)) {
        return "order_id: from 1 to 64 letters, digits, '.', '_' and '-', of which the first is none of these three";
    }
    if (find_tenant(which.tenant) == nullptr) {
        return "tenant: we do not know this one";
    }
    if (which.lines.empty() || which.lines.size() > most_lines) {
        return "lines: from 1 to 100 of them";
    }
    const auto wrong = std::ranges::find_if_not(which.lines, [](const order_line& line) { return is_usable(line); });
    if (wrong != which.lines.end()) {
        return "lines[" + std::to_string(wrong - which.lines.begin()) +
               "]: an article of 1 to 64 bytes, none of them a control character, a quantity of 1 to 1000, a price of "
               "0 to "
               "100000000 cents";
    }
    return {};
}

std::int64_t total_of(const order& which) {
    return std::accumulate(
        which.lines.begin(), which.lines.end(), std::int64_t{0},
        [](std::int64_t sum, const order_line& line) { return sum + line.quantity * line.price_cents; });
}

} // namespace shop

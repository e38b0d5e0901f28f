#include "foreign_correlations.hpp"

namespace ferry::amqp {

void foreign_correlations::remember(const uuid& id, std::string_view text) {
    const std::scoped_lock lock{mutex_};
    if (const auto known = by_id_.find(id); known != by_id_.end()) {
        known->second->text.assign(text);
        by_age_.splice(by_age_.end(), by_age_, known->second);
        return;
    }
    by_id_.emplace(id, by_age_.insert(by_age_.end(), {.id = id, .text = std::string{text}}));
    if (by_age_.size() > capacity_) {
        forget_the_oldest();
    }
    any_ = true;
}

void foreign_correlations::forget_the_oldest() {
    by_id_.erase(by_age_.front().id);
    by_age_.pop_front();
}

std::string foreign_correlations::text_of(const uuid& id) const {
    if (!any_) {
        return {};
    }
    const std::scoped_lock lock{mutex_};
    const auto known = by_id_.find(id);
    return known == by_id_.end() ? std::string{} : known->second->text;
}

} // namespace ferry::amqp

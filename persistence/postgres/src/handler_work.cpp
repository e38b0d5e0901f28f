#include "handler_work.hpp"

#include "flight.hpp"
#include "stored_columns.hpp"

#include <ferry/postgres/errors.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ferry::postgres {

namespace {

auto key_of(const inbox_claim& claim) noexcept { return std::tie(claim.message, claim.consumer); }

/// The places of the claims in the order of their keys, those with the same key in the order given. Whoever claims
/// several does so in this order, so that two groups wait for each other one way only.
std::vector<std::size_t> in_key_order(std::span<const inbox_claim> claims) {
    std::vector<std::size_t> places(claims.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, {}, [&](std::size_t place) { return key_of(claims[place]); });
    return places;
}

/// `won` are the claims that were new, in the order of the keys.
void mark_fresh(std::span<const inbox_claim> claims, const std::vector<std::size_t>& ordered, const result& won,
                std::span<bool> fresh) {
    std::ranges::fill(fresh, false);
    std::size_t next = 0;
    for (int row = 0; row < won.rows(); ++row) {
        const inbox_claim is_new{won.id(row, 0), won.bytes(row, 1)};
        while (next < ordered.size() && key_of(claims[ordered[next]]) != key_of(is_new)) {
            ++next;
        }
        if (next < ordered.size()) {
            fresh[ordered[next++]] = true;
        }
    }
}

} // namespace

void handler_work::claim(std::span<const inbox_claim> claims, time_point now, std::span<bool> fresh) {
    const bool wants_work =
        std::ranges::any_of(claims, [&](const auto& each) { return users_.include(each.consumer); });
    if (!begun_ && wants_work) {
        begin_as_work();
    }
    const std::vector<std::size_t> ordered = in_key_order(claims);
    parameters keys;
    keys.array(element::id, ordered, [&](std::size_t place) { return claims[place].message; })
        .array(element::text, ordered, [&](std::size_t place) { return claims[place].consumer; })
        .add(now);
    flight flight{*connection_, "claim messages in the inbox"};
    add_begin(flight);
    flight.add(sql_.claim, keys);
    mark_fresh(claims, ordered, flight.land().back(), fresh);
    std::ranges::transform(claims, std::back_inserter(consumers_),
                           [](const auto& each) { return std::string{each.consumer}; });
}

bool handler_work::take_off_schedule(const uuid& message) {
    flight flight{*connection_, "take a message off the schedule"};
    add_begin(flight);
    flight.add(sql_.cancel, parameters{}.add(message));
    return flight.land().back().affected() > 0;
}

void handler_work::add_begin(flight& to) {
    if (!std::exchange(begun_, true)) {
        to.add(sql_.begin);
    }
}

std::vector<std::int64_t> handler_work::commit() {
    if (begun_) {
        check_is_open();
    }
    std::vector<std::int64_t> numbers;
    if (work_) {
        numbers = write_rows(false);
        work_->commit();
    } else if (plain_) {
        plain_->commit_by([&] { numbers = write_rows(true); });
    } else {
        numbers = write_rows(true);
    }
    let_go_of_connection();
    if (!outgoing().empty() || !scheduled().empty()) {
        on_rows_committed_();
    }
    return numbers;
}

// The server answers COMMIT with "ROLLBACK" and no error when a statement of the transaction has failed.
void handler_work::check_is_open() const {
    const PGTransactionStatusType state = connection_->state();
    if (state == PQTRANS_INERROR) {
        throw sql_error{"nothing was committed: a statement of the handler failed and the handler went on; let its "
                        "exception out, or use a pqxx::subtransaction around what may fail",
                        "25P02", false};
    }
    if (state == PQTRANS_IDLE) {
        throw sql_error{"the handler has ended the transaction that ferry gave it; remove its COMMIT, ROLLBACK or "
                        "abort(), and throw to undo everything",
                        "25P01", false};
    }
}

std::vector<std::int64_t> handler_work::write_rows(bool and_commit) {
    const bool has_rows = !outgoing().empty() || !scheduled().empty();
    if (!has_rows && !(begun_ && and_commit)) {
        return {};
    }
    flight flight{*connection_, "commit what a handler has done"};
    add_begin(flight);
    if (!scheduled().empty()) {
        flight.add(sql_.schedule, stored_columns(scheduled()));
    }
    if (!outgoing().empty()) {
        flight.add(sql_.append, stored_columns(outgoing()));
    }
    if (and_commit) {
        flight.add(sql_.commit);
    }
    const std::vector<result> answers = flight.land();
    if (and_commit && answers.back().tag() != "COMMIT") {
        throw sql_error{"nothing was committed: the server has rolled the transaction back", "25P02", false};
    }
    std::vector<std::int64_t> numbers;
    if (!outgoing().empty()) {
        const result& rows = answers[answers.size() - (and_commit ? 2 : 1)];
        for (int row = 0; row < rows.rows(); ++row) {
            numbers.push_back(rows.number(row, 0));
        }
        std::ranges::sort(numbers); // given in the order of the messages, whatever order the answer has
    }
    return numbers;
}

void handler_work::let_go_of_connection() {
    work_.reset();
    plain_.reset();
    connection_.reset();
}

void* handler_work::native(const std::type_info& type) {
    if (!connection_) {
        return nullptr; // it has been committed
    }
    if (type == typeid(pqxx::transaction_base*)) {
        return static_cast<pqxx::transaction_base*>(&plain());
    }
    if (type == typeid(pqxx::dbtransaction*)) {
        return &plain();
    }
    if (type == typeid(pqxx::work*)) {
        become_work();
        return &*work_;
    }
    return nullptr;
}

pqxx::dbtransaction& handler_work::plain() {
    if (work_) {
        return *work_;
    }
    if (!plain_) {
        begin_now();
        plain_ = std::make_unique<handler_transaction>(connection_->shared());
    }
    return *plain_;
}

void handler_work::begin_now() {
    if (!begun_) {
        flight{*connection_, "begin a transaction"}.add(sql_.begin).land();
        begun_ = true;
    }
}

void handler_work::become_work() {
    if (work_) {
        return;
    }
    if (plain_) {
        plain_->let_go();
    }
    begin_as_work();
    std::ranges::for_each(consumers_, [this](const std::string& each) { users_.remember(each); });
}

void handler_work::begin_as_work() {
    work_.emplace(connection_->shared());
    begun_ = true;
}

} // namespace ferry::postgres

#include "work.hpp"

#include "rows.hpp"
#include "schedule.hpp"

#include <ferry/sqlite/store.hpp>

namespace ferry::sqlite {

void work::begin() {
    if (ended_) {
        throw store_error{"this unit of work has ended; open another one"};
    }
    if (!transaction_) {
        transaction_.emplace(database_.write_alone());
    }
}

void work::claim(std::span<const inbox_claim> claims, time_point now, std::span<bool> fresh) {
    begin();
    query insert = (*transaction_)
                       ->prepared(database_.sql("insert into ferry_inbox (message, consumer, claimed_at) "
                                                "values (?, ?, ?) on conflict do nothing"));
    for (std::size_t i = 0; i < claims.size(); ++i) {
        insert.with(claims[i].message, claims[i].consumer, now).run();
        fresh[i] = (*transaction_)->changes() == 1;
    }
}

bool work::take_off_schedule(const uuid& message) {
    begin();
    return sqlite::take_off_schedule(**transaction_, database_, message);
}

std::vector<std::int64_t> work::commit() {
    if (!transaction_ && outgoing().empty() && scheduled().empty()) {
        ended_ = true;
        return {};
    }
    begin();
    ended_ = true;
    try {
        check_still_open();
        std::vector<std::int64_t> numbers = write_messages();
        transaction_->commit();
        transaction_.reset(); // the next one's turn, however long this object stays
        return numbers;
    } catch (...) {
        transaction_.reset();
        throw;
    }
}

void* work::native(const std::type_info& type) {
    if (type != native_transaction_of<sqlite3>::type()) {
        return nullptr;
    }
    begin();
    return (*transaction_)->handle();
}

std::vector<std::int64_t> work::write_messages() {
    connection& writer = **transaction_;
    std::vector<std::int64_t> numbers;
    numbers.reserve(outgoing().size());
    if (!outgoing().empty()) {
        query statement = writer.prepared(database_.sql(insert_outgoing));
        for (const stored_message& each : outgoing()) {
            insert(statement, each);
            numbers.push_back(writer.last_number());
        }
    }
    if (!scheduled().empty()) {
        query statement = writer.prepared(database_.sql(insert_scheduled));
        for (const stored_message& each : scheduled()) {
            insert(statement, each);
        }
    }
    return numbers;
}

// A handler can end the transaction on its connection, and SQLite does so itself after some errors.
void work::check_still_open() const {
    if (!(*transaction_)->in_transaction()) {
        throw store_error{"the transaction on \"" + database_.config().path +
                          "\" was over before ferry could commit it: a handler has ended it, or has passed over an "
                          "error that made SQLite roll back. Leave COMMIT and ROLLBACK to ferry"};
    }
}

} // namespace ferry::sqlite

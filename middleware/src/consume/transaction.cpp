#include <ferry/delivery_group.hpp>
#include <ferry/middleware/consume/transaction.hpp>

namespace ferry::middleware {

namespace {

/// The handler finds the unit of work in its context for as long as it runs.
class attached {
public:
    attached(consume_context& message, unit_of_work& work) noexcept : message_{message} { message_.work_in(&work); }
    attached(const attached&) = delete;
    attached& operator=(const attached&) = delete;
    ~attached() { message_.work_in(nullptr); }

private:
    consume_context& message_;
};

} // namespace

std::optional<transaction> transaction::from(const stage_ports& ports) {
    return ports.persistence == nullptr
               ? std::nullopt
               : std::optional<transaction>{std::in_place, ports.persistence->store, ports.persistence->outbox};
}

void transaction::operator()(consume_context& message, next<consume_context> next) const {
    if (delivery_group* const group = message.delivery().group()) {
        return run_in(group->work(), message, next);
    }
    const auto work = store_->work();
    run_in(*work, message, next); // throws: `work` rolls back on its way out
    outbox_->commit(*work);
}

void transaction::run_in(unit_of_work& work, consume_context& message, next<consume_context> next) const {
    const attached in_context{message, work};
    next(message);
    outbox_->keep(message.collected(), work);
}

} // namespace ferry::middleware

#include "refusal.hpp"

namespace ferry::amqp {

namespace {

// A classic queue is on one node, and is there again when its node is.
bool waits_for_its_node(std::string_view answer) { return answer.contains("home node"); }

} // namespace

bool is_refusal(std::string_view answer) {
    return answer.contains("PRECONDITION_FAILED") || answer.contains("ACCESS_REFUSED") ||
           answer.contains("NOT_FOUND") || answer.contains("RESOURCE_LOCKED");
}

bool is_permanent(std::string_view answer) {
    return (is_refusal(answer) || answer.contains("NOT_ALLOWED")) && !waits_for_its_node(answer);
}

bool may_not_consume(std::string_view answer) {
    return answer.contains("ACCESS_REFUSED") || answer.contains("RESOURCE_LOCKED");
}

std::string advice(std::string_view answer) {
    return waits_for_its_node(answer)
               ? "; it is a classic queue on a node that is gone: bring the node back, or use quorum queues"
           : answer.contains("PRECONDITION_FAILED")
               ? "; it exists with other properties: delete it, or configure ferry the way it is"
           : answer.contains("NOT_FOUND") ? "; it is not there, and has to be created first"
           : answer.contains("exclusive")
               ? "; another consumer has it for itself: end that one, or take single_active_consumer for both"
           : answer.contains("ACCESS_REFUSED") ? "; give the user in the URL the right to it"
                                               : "";
}

bool is_refusal(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const refusal&) {
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace ferry::amqp

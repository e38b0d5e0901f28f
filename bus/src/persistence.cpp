#include <ferry/persistence.hpp>

namespace ferry {

namespace {

void need(bool holds, const std::string& otherwise, std::vector<std::string>& problems) {
    if (!holds) {
        problems.push_back("persistence: " + otherwise);
    }
}

} // namespace

void persistence_options::validate(std::vector<std::string>& problems) const {
    need(relay.poll_interval > duration::zero(), "the relay's poll interval is no time at all; set it above zero",
         problems);
    need(relay.batch > 0, "a relay with batches of 0 rows sends nothing; set the batch to 1 or more", problems);
    need(relay.attempts > 0, "a row with 0 attempts is never sent; set the relay's attempts to 1 or more", problems);
    need(relay.backoff.base_delay >= duration::zero(), "the relay's base delay is negative; set it to zero or more",
         problems);
    need(relay.backoff.max_delay >= relay.backoff.base_delay,
         "the relay's longest delay is below its base delay; raise max_delay or lower base_delay", problems);
    need(claims.retention > duration::zero(), "claims that are kept for no time protect nobody; raise the retention",
         problems);
    need(claims.cleanup_interval > duration::zero(), "the cleanup interval is no time at all; set it above zero",
         problems);
    need(claims.cleanup_chunk > 0, "cleaning up 0 rows at a time never ends; set cleanup_chunk to 1 or more", problems);
    need(largest_body > 0, "an outbox for bodies of 0 bytes takes nothing; raise largest_body", problems);
    need(database_retries >= 0, "the number of database retries is negative; set it to 0 or more", problems);
    need(!forget_dead_after || *forget_dead_after > duration::zero(),
         "dead rows would be deleted at once; raise forget_dead_after, or leave it away to keep them", problems);
}

} // namespace ferry

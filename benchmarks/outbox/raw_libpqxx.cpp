// libpqxx without anything of ferry: what a good programmer would write by hand to handle a message exactly once. The
// tables are ferry's, and so are the statements.

#include "contest.hpp"

#include <pqxx/pqxx>

#include <atomic>
#include <chrono>
#include <format>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace ferry::benchmarks;

constexpr const char* claim = "insert into ferry.inbox (message_id, consumer, claimed_at) values ($1, $2, $3)"
                              " on conflict do nothing";
constexpr const char* append =
    "insert into ferry.outbox (id, destination, message_type, partition_key, tenant, content,"
    " created_at, next_attempt_at) values ($1, $2, $3, '', '', $4, $5, $5)";

std::int64_t now() { return std::chrono::system_clock::now().time_since_epoch().count(); }

/// Rising, as ids that begin with the time are.
std::string id_of(std::size_t series, std::size_t number) {
    return std::format("0190e1a8-0000-7000-{:04x}-{:012x}", 0x8000 + series, number);
}

class consuming {
public:
    explicit consuming(const assignment& task) : task_{task}, connection_{task.database} {
        connection_.prepare("claim", claim);
        connection_.prepare("append", append);
    }

    void handle(std::size_t number) {
        pqxx::work transaction{connection_};
        const auto claimed = transaction.exec(pqxx::prepped{"claim"}, {id_of(0, number), "bench", now()});
        if (claimed.affected_rows() != 1) {
            throw std::runtime_error{"a message has come twice"};
        }
        transaction.exec("insert into invoices (order_id, total) values ($1, $2)", pqxx::params{"order-0000017", 99.5});
        transaction.exec(pqxx::prepped{"append"},
                         {id_of(1, number), "exchange:bench:invoice-created", "urn:message:bench:invoice-created",
                          pqxx::binary_cast(body_), now()});
        transaction.commit();
    }

private:
    const assignment& task_;
    pqxx::connection connection_;
    std::string body_ = std::string(task_.size, 'x');
};

void run(const assignment& task) {
    std::vector<std::unique_ptr<consuming>> all;
    for (std::size_t i = 0; i < task.slots; ++i) {
        all.push_back(std::make_unique<consuming>(task));
    }
    stopwatch watch;
    watch.start();
    std::atomic<std::size_t> next{0};
    {
        std::vector<std::jthread> threads;
        for (const auto& each : all) {
            threads.emplace_back([&task, &next, &each] {
                for (std::size_t number = next++; number < task.count; number = next++) {
                    each->handle(number);
                }
            });
        }
    }
    watch.stop();
    travel_times none;
    report(task, watch, none);
}

} // namespace

int main(int count, char** arguments) {
    try {
        run(read_assignment(count, arguments));
    } catch (const std::exception& wrong) {
        std::cerr << wrong.what() << '\n';
        return 1;
    }
}

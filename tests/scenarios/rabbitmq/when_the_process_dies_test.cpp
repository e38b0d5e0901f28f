#include "rabbit_shop.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

namespace ferry::scenarios {
namespace {

struct no_open_files {
    no_open_files() {
        ::posix_spawn_file_actions_init(&list);
        ::posix_spawn_file_actions_addclosefrom_np(&list, STDERR_FILENO + 1);
    }
    no_open_files(const no_open_files&) = delete;
    no_open_files& operator=(const no_open_files&) = delete;
    ~no_open_files() { ::posix_spawn_file_actions_destroy(&list); }

    posix_spawn_file_actions_t list{};
};

class WhenTheProcessDies : public rabbit_shop, public ::testing::WithParamInterface<amqp::queue_type> {
protected:
    WhenTheProcessDies() { std::filesystem::remove(diary); }
    ~WhenTheProcessDies() override { std::filesystem::remove(diary); }

    /// How a service ended that was started on our broker.
    [[nodiscard]] int live_once() const {
        std::string where = url(network.port());
        std::string queues = GetParam() == amqp::queue_type::quorum ? "quorum" : "classic";
        std::string program = FERRY_MORTAL_SERVICE;
        std::string file = diary;
        std::array<char*, 5> arguments{program.data(), where.data(), queues.data(), file.data(), nullptr};
        pid_t child = 0;
        int status = 0;
        const no_open_files actions; // one that inherits the network's sockets would keep those of its ancestor open
        if (::posix_spawn(&child, program.c_str(), &actions.list, nullptr, arguments.data(), environ) != 0 ||
            ::waitpid(child, &status, 0) != child) {
            return -1;
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    /// Starts it again and again, as an orchestrator would, until it ends in peace.
    void keep_alive() {
        while (live_once() == 3) {
            deaths.change([](int& count) { ++count; });
        }
    }
    [[nodiscard]] std::string first_dead_letter() const {
        return broker.post(queue_path("billing.order-placed_error") + "/get",
                           R"({"count": 1, "ackmode": "ack_requeue_true", "encoding": "auto"})");
    }
    [[nodiscard]] std::vector<std::string> diary_entries() const {
        std::ifstream file{diary};
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);) {
            lines.push_back(line);
        }
        return lines;
    }
    watched<int> deaths;
    const std::string diary = std::filesystem::temp_directory_path() / ("ferry-diary-" + std::to_string(::getpid()));
};

TEST_P(WhenTheProcessDies, of_a_message_again_and_again_that_is_a_dead_letter_in_the_end) { // B90
    amqp::transport_options options = impatient(GetParam());
    options.delivery_limit = 3;
    auto builder = service("billing", options); // makes the queue, and consumes nothing before it goes
    builder->handle<order_placed>([](const order_placed&) {});
    started(*builder)->stop();
    const auto shop = started(*service("shop"));
    shop->publish(order_placed{"poison"});
    std::jthread orchestrator{[this] { keep_alive(); }};
    EXPECT_TRUE(deaths.eventually([](int count) { return count == 4; })) << "the first time, and three times again";
    EXPECT_TRUE(testing::eventually([&] { return first_dead_letter().contains("poison"); }));
    shop->publish(order_placed{"last"});
    orchestrator.join();
    EXPECT_EQ(deaths.get(), 4);
    EXPECT_THAT(diary_entries(), ::testing::ElementsAre("poison 0", "poison 1", "poison 2", "poison 3", "last 0"));
    EXPECT_THAT(first_dead_letter(),
                ::testing::HasSubstr(GetParam() == amqp::queue_type::quorum ? "delivery_limit" : "never settled"));
}

INSTANTIATE_TEST_SUITE_P(On, WhenTheProcessDies, ::testing::Values(amqp::queue_type::quorum, amqp::queue_type::classic),
                         name_of);

} // namespace
} // namespace ferry::scenarios

#include "processes.hpp"

#include "interruption.hpp"

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace shop {

namespace {

const std::array<std::string, 3> services{"orders", "billing", "shipping"};

std::string victim_of(const options& chosen) {
    if (chosen.kill == "none") {
        return {};
    }
    return chosen.kill.empty() ? services[chosen.seed % services.size()] : chosen.kill;
}

} // namespace

processes::processes(const options& chosen, const work_folder& folder)
    : chosen_{chosen}, folder_{folder.path().string()}, victim_{victim_of(chosen)} {
    start("shipping");
    start("billing");
}

void processes::start(const std::string& service) {
    // Where the servers are it finds in the environment: everybody on the machine can read these words.
    std::vector<std::string> words{"--service",      service,
                                   "--folder",       folder_,
                                   "--orders",       std::to_string(chosen_.orders),
                                   "--rate",         std::to_string(chosen_.rate),
                                   "--failure-rate", std::to_string(chosen_.failure_rate),
                                   "--seed",         std::to_string(chosen_.seed),
                                   "--port",         std::to_string(chosen_.port)};
    if (!chosen_.otlp.empty()) {
        words.insert(words.end(), {"--otlp", chosen_.otlp});
    }
    running_.insert_or_assign(service, child{words});
}

// What orders publishes has to find the queues of the others, so it comes last the first time.
void processes::look_after(const totals& sums, const status_board& board, view& screen) {
    if (!running_.contains("orders") && board.told_by("shipping") > 0 && board.told_by("billing") > 0) {
        start("orders");
    }
    if (is_time_to_kill(sums)) {
        kill_victim(screen);
    }
    tell_of_return(board, screen);
    check_that_all_run();
}

// In the middle: half of the orders are placed, and none of the services has done its part. Nobody is killed who is
// about to close.
bool processes::is_time_to_kill(const totals& sums) const {
    const bool is_middle = chosen_.orders > 0 && sums.orders >= (chosen_.orders + 1) / 2;
    return is_middle && running_.contains(victim_) && !is_interrupted();
}

void processes::kill_victim(view& screen) {
    running_.at(victim_).kill();
    screen.tell(victim_ + " was killed (SIGKILL), and starts again");
    start(victim_);
    returning_ = std::exchange(victim_, {});
}

void processes::tell_of_return(const status_board& board, view& screen) {
    if (!returning_.empty() && board.latest(returning_).process == running_.at(returning_).id()) {
        screen.tell(returning_ + " is back");
        returning_.clear();
    }
}

void processes::check_that_all_run() {
    for (auto& [service, process] : running_) {
        if (const auto code = process.exit_code()) {
            throw std::runtime_error{service + " has ended by itself, with exit code " + std::to_string(*code)};
        }
    }
}

void processes::stop() {
    for (auto& [service, process] : running_) {
        if (const int code = process.stop(); code != 0) {
            throw std::runtime_error{service + " did not end in peace: exit code " + std::to_string(code)};
        }
    }
}

} // namespace shop

#include "demo/interruption.hpp"
#include "demo/options.hpp"
#include "demo/processes.hpp"
#include "demo/services.hpp"
#include "demo/watch.hpp"
#include "demo/work_folder.hpp"
#include "orders/http_door.hpp"
#include "wiring.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace {

using namespace std::chrono_literals;

// #region one_process
/// All three services here, over memory and SQLite.
int run_in_one_process(const shop::options& chosen) {
    shop::work_folder folder{chosen.folder};
    const shop::memory_and_sqlite at{folder.path()};
    const ferry::log_function log = folder.log("log.txt");
    shop::telemetry telemetry{chosen.otlp, "order-service", log};
    const shop::service_settings settings{chosen, log, telemetry};
    shop::create_all_tables(at);

    shop::watch watch{at, chosen, log};
    // Who hears of something is there before it is said for the first time; later the queues are.
    const shop::shipping_service shipping{at, settings};
    const shop::billing_service billing{at, settings};
    const shop::orders_service orders{at, settings};
    folder.keep();
    watch.until_settled([](const shop::totals&) {});
    const int exit_code = watch.report();
    if (exit_code == 0) {
        folder.let_go();
    }
    return exit_code;
}
// #endregion

// #region three_processes
/// Starts the three services as processes of their own, over RabbitMQ and PostgreSQL, and looks after them.
int run_in_three_processes(const shop::options& chosen) {
    shop::hand_down_servers(chosen);
    shop::work_folder folder{chosen.folder};
    const shop::rabbitmq_and_postgres at{chosen.broker, chosen.database};
    shop::create_all_tables(at);

    shop::watch watch{at, chosen, folder.log("watch.log")};
    shop::processes services{chosen, folder};
    folder.keep();
    watch.until_settled([&](const shop::totals& sums) { services.look_after(sums, watch.board(), watch.screen()); });
    const int exit_code = watch.report();
    services.stop();
    if (exit_code == 0) {
        folder.let_go();
    }
    return exit_code;
}

/// One of these processes.
int run_one_service(const shop::options& chosen) {
    shop::work_folder folder{chosen.folder};
    const shop::rabbitmq_and_postgres at{chosen.broker, chosen.database};
    const ferry::log_function log = folder.log(chosen.service + ".log");
    shop::telemetry telemetry{chosen.otlp, chosen.service, log};
    const shop::service_settings settings{chosen, log, telemetry};
    const auto until_asked_to_end = [&folder] {
        folder.keep();
        while (!shop::is_interrupted()) {
            std::this_thread::sleep_for(50ms);
        }
    };
    if (chosen.service == "orders") {
        const shop::orders_service orders{at, settings};
        until_asked_to_end();
    } else if (chosen.service == "billing") {
        const shop::billing_service billing{at, settings};
        until_asked_to_end();
    } else {
        const shop::shipping_service shipping{at, settings};
        until_asked_to_end();
    }
    folder.let_go();
    return 0;
}
// #endregion

int run(const shop::options& chosen) {
    shop::note_interruptions();
    if (!chosen.service.empty()) {
        return run_one_service(chosen);
    }
    shop::check_that_is_free(chosen.port);
    return chosen.real ? run_in_three_processes(chosen) : run_in_one_process(chosen);
}

/// What servers say may have several lines.
std::string in_one_line(std::string_view text) {
    std::istringstream words{std::string{text}};
    std::string line;
    for (std::string word; words >> word;) {
        line += (line.empty() ? "" : " ") + word;
    }
    return line;
}

} // namespace

int main(int count, char** words) {
    const auto chosen = shop::read_options(count, words);
    if (!chosen) {
        return 2;
    }
    if (chosen->help) {
        std::cout << shop::help_text;
        return 0;
    }
    try {
        return run(*chosen);
    } catch (const std::exception& failure) {
        std::cerr << "order_service: " << in_one_line(failure.what()) << '\n';
        return 1;
    }
}

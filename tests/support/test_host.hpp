#pragma once

#include <ferry/transport.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <thread>

namespace ferry::testing {

/// What a bus would lend its transport: an io_context with a thread that runs it, and a clock.
class test_host {
public:
    explicit test_host(clock now = {}) : now_{now}, thread_{[this] { io_.run(); }} {}
    test_host(const test_host&) = delete;
    test_host& operator=(const test_host&) = delete;
    ~test_host() {
        work_.reset();
        thread_.join();
    }

    [[nodiscard]] transport_host lend() { return {io_, now_}; }

private:
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
    clock now_;
    std::thread thread_;
};

} // namespace ferry::testing

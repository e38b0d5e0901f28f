#pragma once

#include "transport_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/test_host.hpp>
#include <support/test_sinks.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::testing {

/// A service as a transport sees one: something with an I/O thread that started it and stops it in the end.
class test_service {
public:
    explicit test_service(transport_harness& harness) : transport_{harness.make_transport()} {
        transport_->start(host_.lend());
    }
    test_service(const test_service&) = delete;
    test_service& operator=(const test_service&) = delete;
    ~test_service() { stop(); }

    void stop() { transport_->stop(); }
    [[nodiscard]] transport& operator*() const { return *transport_; }
    [[nodiscard]] transport* operator->() const { return transport_.get(); }

private:
    test_host host_;
    std::unique_ptr<transport> transport_;
};

/// The suite every transport passes (B96). Its cases lie in the `transport_*_cases.cpp` beside this file; a transport
/// joins with `INSTANTIATE_TEST_SUITE_P`, see memory_transport_test.cpp.
class TransportSuite : public ::testing::TestWithParam<transport_under_test> {
public:
    ~TransportSuite() override;

protected:
    TransportSuite();

    /// A name no other test and no other run uses.
    [[nodiscard]] std::string unique(std::string_view name) const;
    void declare(test_service& service, const topology& wanted);
    /// Declares a queue of a fresh name at `shop` and returns the name.
    [[nodiscard]] std::string a_queue(std::string_view name = "orders");
    /// Declares an exchange bound to these and returns its name.
    [[nodiscard]] std::string an_exchange(std::string_view name, const std::vector<address>& targets);

    /// Sends and waits for the outcome.
    static send_outcome send(test_service& service, const envelope& message);
    /// Sends messages with the bodies "0", "1", ... one after the other; all are confirmed.
    static void send_numbered(test_service& service, const address& destination, int count);

    [[nodiscard]] transport_harness& harness() { return *harness_; }

private:
    std::unique_ptr<transport_harness> harness_;
    topology declared_;
    std::string prefix_;

protected:
    test_service shop{*harness_};
    test_service billing{*harness_};
};

[[nodiscard]] envelope a_message_to(const address& destination, std::string_view body = "hello");
/// "0", "1", ... up to `count`.
[[nodiscard]] std::vector<std::string> numbers(int count);
[[nodiscard]] std::vector<std::string> sorted(std::vector<std::string> texts);
/// What the error says; empty without one.
[[nodiscard]] std::string text_of(const std::exception_ptr& error);

} // namespace ferry::testing

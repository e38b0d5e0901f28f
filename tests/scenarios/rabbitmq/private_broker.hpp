#pragma once

#include "management.hpp"

#include <map>
#include <string>

namespace ferry::testing {

/// A RabbitMQ that belongs to one test, which may do to it what nobody else would like. It takes seconds to start, and
/// ends with its owner, however that ends.
class private_broker {
public:
    private_broker();
    private_broker(const private_broker&) = delete;
    private_broker& operator=(const private_broker&) = delete;
    ~private_broker();

    [[nodiscard]] management api() const;

    /// Ends as by kill -9.
    void crash() const;
    /// Begins again on the same folder and ports; stops politely before that, if it runs.
    void restart() const;
    /// As if the machine had no memory left: the broker takes no more messages from anybody.
    void raise_memory_alarm() const;
    void clear_memory_alarm() const;

private:
    void command(const std::string& what, const std::string& arguments) const;

    std::map<std::string, std::string> exports_;
};

/// The first base of a fixture whose other bases need the broker.
struct owner_of_a_broker {
    private_broker own;
};

} // namespace ferry::testing

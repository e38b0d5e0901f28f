#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ferry::testing {

/// Servers that belong to one test, which may do to them what nobody else would like. They take seconds to start, and
/// end with their owner, however that ends.
class private_instance {
public:
    /// `servers` as scripts/services has them: "rabbitmq", "postgres" or both.
    explicit private_instance(const std::string& servers);
    private_instance(const private_instance&) = delete;
    private_instance& operator=(const private_instance&) = delete;
    ~private_instance();

    /// What `name` would be in the environment of a test run.
    [[nodiscard]] const std::string& exported(const std::string& name) const { return exports_.at(name); }
    [[nodiscard]] std::uint16_t port_in(const std::string& name) const;
    void command(const std::string& what, const std::string& arguments) const;

private:
    std::map<std::string, std::string> exports_;
};

} // namespace ferry::testing

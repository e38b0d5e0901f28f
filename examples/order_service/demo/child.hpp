#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace shop {

/// This program once more, as a process of its own with other arguments. It is asked to end, and waited for, when this
/// object goes; and it ends with its parent, however that ends.
class child {
public:
    explicit child(const std::vector<std::string>& arguments);
    child(child&& other) noexcept;
    child& operator=(child&& other) noexcept;
    ~child();

    void kill(); ///< as a crash would, and waits until it is dead
    /// Asks it to end in peace; waits, and returns its exit code.
    int stop();
    /// None while it runs.
    [[nodiscard]] std::optional<int> exit_code();

    [[nodiscard]] pid_t id() const { return id_; }

private:
    int wait();

    pid_t id_ = 0; ///< 0 when it is over
};

} // namespace shop

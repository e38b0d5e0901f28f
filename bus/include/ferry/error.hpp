#pragma once

#include <stdexcept>
#include <string>

namespace ferry {

/// The root of every exception ferry throws. Ask it, rather than listing types: a transient error is worth another try,
/// any other stays wrong until somebody changes something.
class error : public std::runtime_error {
public:
    explicit error(const std::string& text, bool transient = false) : std::runtime_error{text}, transient_{transient} {}

    [[nodiscard]] bool is_transient() const noexcept { return transient_; }

private:
    bool transient_;
};

} // namespace ferry

#pragma once

#include <ferry/log.hpp>

#include <memory>

namespace ferry::otlp {

class sdk_log;

/// Tells a log function what the SDK says of itself, as long as it lives. The exporters tell what matters, so it is for
/// those who look for more. Of several the last is told; none when the program has a handler of its own.
class sdk_listener {
public:
    explicit sdk_listener(log_function log);
    sdk_listener(const sdk_listener&) = delete;
    sdk_listener& operator=(const sdk_listener&) = delete;
    /// Nothing is told to the log function any more; waits for what is being told.
    ~sdk_listener();

private:
    log_function log_;
    std::shared_ptr<sdk_log> handler_;
};

} // namespace ferry::otlp

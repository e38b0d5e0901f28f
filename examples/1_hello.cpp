// The smallest program: a message is a struct, a handler is a function, and `publish` brings them together.
// Look at: nothing is registered, derived from or generated for `greeting`; it becomes JSON by itself.

#include <ferry/ferry.hpp>
#include <ferry/memory/transport.hpp>

#include <iostream>
#include <latch>

namespace hello {

struct greeting {
    std::string text;
};

} // namespace hello

int main() {
    std::latch heard{1};
    ferry::bus_builder builder{"hello"};
    builder.transport(ferry::memory::transport{});
    builder.handle<hello::greeting>([&](const hello::greeting& message) {
        std::cout << message.text << '\n';
        heard.count_down();
    });

    ferry::bus bus = builder.build();
    bus.start();
    bus.publish(hello::greeting{"hello, world"});
    heard.wait();
}

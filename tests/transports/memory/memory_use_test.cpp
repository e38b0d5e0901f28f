#include "memory_fixture.hpp"

#include <unistd.h>

#include <fstream>

namespace ferry::testing {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::size_t resident_bytes() {
    std::size_t total = 0;
    std::size_t resident = 0;
    std::ifstream{"/proc/self/statm"} >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Counts and throws away.
class counting_sink final : public delivery_sink {
public:
    void deliver(std::span<delivery> deliveries) override {
        for (delivery& each : deliveries) {
            std::move(each).accept();
        }
        count.change([&](std::size_t& all) { all += deliveries.size(); });
    }

    watched<std::size_t> count;
};

} // namespace

class MemoryUse : public memory_fixture {
protected:
    /// The broker's own thread does one thing after the other; once it has brought a delayed message it did all before.
    void await_housekeeping(counting_sink& sink) {
        const std::size_t so_far = sink.count.get();
        envelope last = an_order();
        last.scheduled_at = time.now() + std::chrono::seconds{1};
        send(last);
        time.advance(std::chrono::seconds{1});
        ASSERT_TRUE(sink.count.eventually([&](std::size_t all) { return all > so_far; }));
    }
};

TEST_F(MemoryUse, of_a_million_waiting_messages_is_their_bytes_and_little_more) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's own memory hides what is measured here";
#endif
    constexpr std::size_t count = 1'000'000;
    const envelope message = an_order(std::string(100, 'x'));
    const std::size_t packed = packed_envelope{message}.bytes().size();
    const std::size_t before = resident_bytes();

    for (std::size_t i = 0; i < count; ++i) {
        transport.send(message, [](const send_outcome&) {});
    }
    const std::size_t full = resident_bytes();
    counting_sink sink;
    const auto consuming = transport.consume("orders", {}, sink);
    ASSERT_TRUE(sink.count.eventually([](std::size_t all) { return all == count; }));
    await_housekeeping(sink);
    const std::size_t drained = resident_bytes();

    RecordProperty("bytes_a_message_beyond_packed", static_cast<int>((full - before) / count - packed));
    RecordProperty("bytes_left_when_drained", static_cast<int>(drained - std::min(before, drained)));
    EXPECT_LE(full, before + count * (packed + 64) + 16 * mebibyte);
    EXPECT_LE(drained, before + 16 * mebibyte);
}

} // namespace ferry::testing

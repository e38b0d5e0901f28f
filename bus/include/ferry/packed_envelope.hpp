#pragma once

#include <ferry/envelope.hpp>
#include <ferry/error.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace ferry {

/// Bytes that are said to be an envelope and are not.
class envelope_error : public error {
public:
    explicit envelope_error(const std::string& reason) : error{"the envelope cannot be read: " + reason} {}
};

/// An envelope in one run of bytes: what waits in a queue, travels to a slot, or lies in a store. Immutable and shared:
/// a copy is a reference, so fanning a message out to ten queues costs its memory once.
///
/// Fields are tagged. A reader passes over tags it does not know, so a newer ferry may add fields and an older one
/// still reads the rest.
class packed_envelope {
public:
    packed_envelope() noexcept = default;
    explicit packed_envelope(const envelope& content);
    /// Takes bytes as they were stored or received; whether they are an envelope shows when they are unpacked.
    [[nodiscard]] static packed_envelope from_bytes(std::string_view bytes);

    packed_envelope(const packed_envelope& other) noexcept;
    packed_envelope(packed_envelope&& other) noexcept : block_{std::exchange(other.block_, nullptr)} {}
    packed_envelope& operator=(packed_envelope other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~packed_envelope();

    /// Reads every field into `content`, reusing its memory. Throws envelope_error.
    void unpack(envelope& content) const;

    [[nodiscard]] std::string_view bytes() const noexcept;
    [[nodiscard]] bool empty() const noexcept { return block_ == nullptr; }

private:
    struct block;
    explicit packed_envelope(block* owned) noexcept : block_{owned} {}

    block* block_ = nullptr;
};

} // namespace ferry

#include "envelope_format.hpp"

#include <ferry/packed_envelope.hpp>

#include <atomic>
#include <new>

namespace ferry {

/// The count of references, the length, and right behind them the bytes: one allocation a message.
struct packed_envelope::block {
    explicit block(std::size_t length) noexcept : size{length} {}

    [[nodiscard]] static block* make(std::size_t length) {
        return new (::operator new(sizeof(block) + length)) block{length};
    }
    [[nodiscard]] char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }

    std::atomic<std::uint32_t> references{1};
    std::size_t size;
};

packed_envelope::packed_envelope(const envelope& content) : block_{block::make(envelope_format::size_of(content))} {
    envelope_format::write(content, block_->bytes());
}

packed_envelope packed_envelope::from_bytes(std::string_view bytes) {
    block* made = block::make(bytes.size());
    bytes.copy(made->bytes(), bytes.size()); // unlike memcpy, it may be given no bytes at no place
    return packed_envelope{made};
}

packed_envelope::packed_envelope(const packed_envelope& other) noexcept : block_{other.block_} {
    if (block_ != nullptr) {
        block_->references.fetch_add(1, std::memory_order_relaxed);
    }
}

packed_envelope::~packed_envelope() {
    if (block_ != nullptr && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        block_->~block();
        ::operator delete(block_);
    }
}

void packed_envelope::unpack(envelope& content) const { envelope_format::read(bytes(), content); }

std::string_view packed_envelope::bytes() const noexcept {
    return block_ == nullptr ? std::string_view{} : std::string_view{block_->bytes(), block_->size};
}

} // namespace ferry

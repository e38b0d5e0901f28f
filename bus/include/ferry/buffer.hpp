#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace ferry {

/// A growing run of bytes: message bodies are written into one and read out of one. Clearing keeps the memory, so a
/// buffer that is reused stops allocating; and there is always room behind the last byte for a vectorised reader to
/// look past the end.
class buffer {
public:
    /// How many bytes behind the last one may be read (never written).
    static constexpr std::size_t padding = 64;

    buffer() noexcept = default;
    explicit buffer(std::string_view text) { append(text); }
    buffer(const buffer& other) { append(other.view()); }
    buffer(buffer&& other) noexcept
        : data_{std::move(other.data_)},
          size_{std::exchange(other.size_, 0)},
          capacity_{std::exchange(other.capacity_, 0)} {}
    buffer& operator=(const buffer& other) {
        if (this != &other) {
            assign(other.view());
        }
        return *this;
    }
    buffer& operator=(buffer&& other) noexcept {
        data_ = std::move(other.data_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        return *this;
    }
    ~buffer() = default;

    [[nodiscard]] const char* data() const noexcept { return data_.get(); }
    [[nodiscard]] char* data() noexcept { return data_.get(); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::string_view view() const noexcept { return {data_.get(), size_}; }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
        return std::as_bytes(std::span{data_.get(), size_});
    }

    void clear() noexcept { size_ = 0; }
    /// Also lets go of the memory, if it is more than that.
    void clear_above(std::size_t kept) noexcept {
        clear();
        if (capacity_ > kept) {
            data_.reset();
            capacity_ = 0;
        }
    }
    void reserve(std::size_t size) {
        if (size > capacity_) {
            grow(size);
        }
    }
    void assign(std::string_view text) {
        clear();
        append(text);
    }
    void append(std::string_view text) {
        if (!text.empty()) {
            std::memcpy(extend(text.size()), text.data(), text.size());
        }
    }
    void push_back(char c) { *extend(1) = c; }

    /// Makes the buffer `count` bytes longer and returns the place of the first new one, for the caller to fill.
    char* extend(std::size_t count) {
        reserve(size_ + count);
        return data_.get() + std::exchange(size_, size_ + count);
    }
    /// Makes sure `count` more bytes fit and returns where they go; `commit` then says how many were written. For
    /// writers that know an upper bound first and the true length afterwards.
    char* prepare(std::size_t count) {
        reserve(size_ + count);
        return data_.get() + size_;
    }
    void commit(std::size_t count) noexcept { size_ += count; }

    friend bool operator==(const buffer& a, const buffer& b) noexcept { return a.view() == b.view(); }

private:
    void grow(std::size_t size);

    std::unique_ptr<char[]> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0; // without the padding
};

} // namespace ferry

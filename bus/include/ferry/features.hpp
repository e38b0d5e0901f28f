#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace ferry {

/// What stages tell each other, and handlers, about one message: a bag with at most one object of each type. The bag
/// belongs to a slot and is emptied between messages, but its objects stay where they are: a feature with a member
/// `reset()` is reset, any other is assigned a fresh value, and no message after the first allocates.
class feature_set {
public:
    /// The feature, made (or revived) if this message has none yet.
    template <typename Feature> Feature& get_or_add() {
        entry* known = find_entry(key<Feature>());
        if (known == nullptr) {
            known = &add(key<Feature>(), std::make_shared<Feature>(), &renew<Feature>);
        }
        known->since = known->since == absent ? era_ : known->since;
        return *static_cast<Feature*>(known->object.get());
    }

    /// The feature if this message has it, or nullptr.
    template <typename Feature> [[nodiscard]] Feature* find() noexcept {
        entry* known = find_entry(key<Feature>());
        return known != nullptr && known->since != absent ? static_cast<Feature*>(known->object.get()) : nullptr;
    }
    template <typename Feature> [[nodiscard]] const Feature* find() const noexcept {
        return const_cast<feature_set*>(this)->find<Feature>();
    }

    void clear() noexcept;

    /// A moment to come back to: `rewind` forgets the features that were added since.
    using era = std::uint64_t;
    [[nodiscard]] era mark() noexcept { return ++era_; }
    void rewind(era mark) noexcept;

private:
    static constexpr era absent = 0;

    struct entry {
        const void* key;
        std::shared_ptr<void> object; // never shared; it knows how to destroy what it holds
        void (*renew)(void*);
        era since; // when this message got it, or absent
    };

    template <typename Feature> static constexpr char key_of = 0;
    template <typename Feature> [[nodiscard]] static const void* key() noexcept { return &key_of<Feature>; }
    template <typename Feature> static void renew(void* object) {
        auto& feature = *static_cast<Feature*>(object);
        if constexpr (requires { feature.reset(); }) {
            feature.reset();
        } else {
            feature = Feature{};
        }
    }

    [[nodiscard]] entry* find_entry(const void* key) noexcept;
    entry& add(const void* key, std::shared_ptr<void> object, void (*reviver)(void*));

    std::vector<entry> entries_;
    era era_ = 1;
};

} // namespace ferry

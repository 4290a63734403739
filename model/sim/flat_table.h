// SPDX-License-Identifier: Apache-2.0
// A hash table for sums on the hot path: open addressing, values in place, nothing is ever removed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace linefill::model {

/// `Key` offers `hash()`, `==`, and `is_free()`, which is true of a default-constructed one only: it
/// marks the free slots and cannot be looked up. sorted() needs `<`. Lookups cost one probe as a rule: at most half of the slots are
/// in use. Iteration is in sorted() order only, so that nothing depends on hashes.
template <class Key, class Value>
class FlatTable {
public:
    FlatTable() : slots_(kFirstSlots), mask_(kFirstSlots - 1) {}

    /// The value of `key`, a new one if there was none. Valid until the next call.
    Value& operator[](const Key& key) { return at(key, key.hash()); }
    /// The same with the key's hash at hand.
    Value& at(const Key& key, std::size_t hash) {
        std::size_t at = hash & mask_;
        while (!slots_[at].key.is_free()) {
            if (slots_[at].key == key) return slots_[at].value;
            at = (at + 1) & mask_;
        }
        return insert(key);
    }
    /// A key with this hash is looked up soon: its slot is fetched into the host's caches.
    void expect(std::size_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

    /// The value of `key`, or null.
    [[nodiscard]] const Value* find(const Key& key) const {
        std::size_t at = key.hash() & mask_;
        while (!slots_[at].key.is_free()) {
            if (slots_[at].key == key) return &slots_[at].value;
            at = (at + 1) & mask_;
        }
        return nullptr;
    }

    [[nodiscard]] std::size_t size() const { return used_; }

    /// All entries, by Key's `<`.
    [[nodiscard]] std::vector<std::pair<Key, const Value*>> sorted() const {
        std::vector<std::pair<Key, const Value*>> entries;
        entries.reserve(used_);
        for (const Slot& slot : slots_) {
            if (!slot.key.is_free()) entries.emplace_back(slot.key, &slot.value);
        }
        std::sort(entries.begin(), entries.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        return entries;
    }

private:
    struct Slot {
        Key key{};
        Value value{};
    };
    static constexpr std::size_t kFirstSlots = 1024;  // a power of two, as all sizes

    Value& insert(const Key& key) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        ++used_;
        Slot& slot = free_slot(slots_, key);
        slot.key = key;
        return slot.value;
    }

    static Slot& free_slot(std::vector<Slot>& slots, const Key& key) {
        std::size_t at = key.hash() & (slots.size() - 1);
        while (!slots[at].key.is_free()) at = (at + 1) & (slots.size() - 1);
        return slots[at];
    }

    void grow() {
        std::vector<Slot> larger(2 * slots_.size());
        for (Slot& slot : slots_) {
            if (!slot.key.is_free()) free_slot(larger, slot.key) = std::move(slot);
        }
        slots_ = std::move(larger);
        mask_ = slots_.size() - 1;
    }

    std::vector<Slot> slots_;
    std::size_t mask_;
    std::size_t used_ = 0;
};

/// Spreads the bits of two words over one.
[[nodiscard]] inline std::size_t mix(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
    std::uint64_t h = (a ^ (b * kOdd)) * kOdd;
    h ^= h >> 32U;
    return static_cast<std::size_t>(h);
}

}  // namespace linefill::model

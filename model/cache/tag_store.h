// SPDX-License-Identifier: Apache-2.0
// The tags of a set-associative array. Looked up several times per modelled access, by many cores in
// turn, so what counts is how much of the host's caches they take and that no loop branches: 32 bits a
// tag, a set of 8 ways in half a line of the host, four tags compared at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "model/core/access.h"

namespace linefill::model {

class TagStore {
public:
    static constexpr unsigned kNoWay = ~0U;

    /// All lines of one set have their `common_bits` lowest bits in common; the same as the set's
    /// number has.
    TagStore(std::size_t sets, unsigned ways, unsigned common_bits)
        : ways_(ways),
          stride_((ways + kGroup - 1) / kGroup * kGroup),
          shift_((stride_ & (stride_ - 1)) == 0 ? static_cast<unsigned>(__builtin_ctz(stride_))
                                                : 0),
          common_bits_(common_bits),
          slots_(sets * stride_),
          blocks_((slots_ + kBlock - 1) / kBlock),
          tags_(blocks_.empty() ? nullptr : blocks_.front().tag) {}
    TagStore(const TagStore&) = delete;
    TagStore& operator=(const TagStore&) = delete;

    unsigned ways() const { return ways_; }
    std::size_t slots() const { return slots_; }
    std::size_t slot(std::size_t set, unsigned way) const { return set * stride_ + way; }
    std::size_t set_of(std::size_t slot) const {
        if (shift_ != 0) return slot >> shift_;
        return static_cast<std::uint32_t>(slot) / stride_;
    }
    unsigned way_of(std::size_t set, std::size_t slot) const {
        if (shift_ != 0) return static_cast<unsigned>(slot) & (stride_ - 1);
        return static_cast<unsigned>(slot - set * stride_);
    }
    bool valid(std::size_t slot) const { return tags_[slot] != kFree; }
    void free(std::size_t slot) { tags_[slot] = kFree; }
    void put(std::size_t slot, Addr line) {
        const Addr tag = line >> common_bits_;
        if (tag >= kFree) too_high();
        tags_[slot] = static_cast<std::uint32_t>(tag);
    }
    Addr line_at(std::size_t slot) const {
        const Addr low = set_of(slot) & ((Addr{1} << common_bits_) - 1);
        return Addr{tags_[slot]} << common_bits_ | low;
    }

    /// The way of `set` that holds `line`, or kNoWay.
    unsigned find(std::size_t set, Addr line) const {
        return find_tag(set, static_cast<std::uint32_t>(line >> common_bits_));
    }
    /// The first way that holds nothing, or kNoWay.
    unsigned free_way(std::size_t set) const {
        const unsigned way = find_tag(set, kFree);
        return way < ways_ ? way : kNoWay;  // what fills the last group up is no way
    }

private:
    static constexpr std::uint32_t kFree = ~std::uint32_t{0};
    static constexpr unsigned kGroup = 4;   // tags compared at once
    static constexpr unsigned kBlock = 16;  // tags in a line of the host
    struct alignas(64) Block {
        std::uint32_t tag[kBlock];
        Block() {
            for (std::uint32_t& t : tag) t = kFree;
        }
    };

    [[noreturn]] static void too_high();
    unsigned find_tag(std::size_t set, std::uint32_t tag) const {
        const std::uint32_t* const first = &tags_[set * stride_];
#if defined(__SSE2__)
        // All of the set is compared: where in it the tag is cannot be predicted.
        const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
        if (stride_ == 2 * kGroup) {  // as most caches have it
            const auto* eight = reinterpret_cast<const __m128i*>(first);
            const __m128i low = _mm_cmpeq_epi32(_mm_load_si128(eight), wanted);
            const __m128i high = _mm_cmpeq_epi32(_mm_load_si128(eight + 1), wanted);
            const int mask = _mm_movemask_epi8(_mm_packs_epi32(low, high));  // two bits a way
            return mask == 0
                       ? kNoWay
                       : static_cast<unsigned>(__builtin_ctz(static_cast<unsigned>(mask))) / 2;
        }
        std::uint64_t equal = 0;
        for (unsigned group = 0; group < stride_; group += kGroup) {
            const auto* four = reinterpret_cast<const __m128i*>(first + group);
            const __m128i here = _mm_cmpeq_epi32(_mm_load_si128(four), wanted);
            const int mask = _mm_movemask_ps(_mm_castsi128_ps(here));
            equal |= static_cast<std::uint64_t>(static_cast<unsigned>(mask)) << group;
        }
        if (equal != 0) return static_cast<unsigned>(__builtin_ctzll(equal));
#else
        for (unsigned way = 0; way < stride_; ++way) {
            if (first[way] == tag) return way;
        }
#endif
        return kNoWay;
    }

    unsigned ways_;
    unsigned stride_;  // ways_, rounded up to whole groups
    unsigned shift_;   // 0: the stride is no power of two
    unsigned common_bits_;
    std::size_t slots_;
    std::vector<Block> blocks_;
    std::uint32_t* tags_;
};

}  // namespace linefill::model

// SPDX-License-Identifier: Apache-2.0
// The bits of the two kinds of lock word, and the stores that change parts of one when they drain.
#pragma once

#include <cstdint>

namespace linefill::kernel::words {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Ticket: owner in byte 0, next ticket in byte 1 (fewer than 256 CPUs).
constexpr u32 ticket_owner(u32 w) { return w & 0xffU; }
constexpr u32 ticket_next(u32 w) { return (w >> 8) & 0xffU; }
constexpr bool ticket_is_free(u32 w) { return ticket_owner(w) == ticket_next(w); }
constexpr u32 ticket_taken(u32 w) {
    return ticket_owner(w) | (((ticket_next(w) + 1) & 0xffU) << 8);
}

// Queued: locked byte, pending byte, tail (nesting index in 2 bits, CPU + 1 above).
constexpr u32 kLocked = 1;
constexpr u32 kPending = 1U << 8;
constexpr u32 kLockedMask = 0xffU;
constexpr u32 kLockedPendingMask = 0xffffU;
constexpr u32 kTailMask = 0xffff0000U;
constexpr u32 tail_of(unsigned cpu, unsigned nesting) {
    return ((cpu + 1) << 18) | (nesting << 16);
}
constexpr unsigned tail_cpu(u32 w) { return (w >> 18) - 1; }
constexpr unsigned tail_nesting(u32 w) { return (w >> 16) & 3U; }

/// Store effects: a byte or the low half of a word takes a value, the rest stays.
template <unsigned kByte>
void store_byte(void* word, u64 value) {
    auto* w = static_cast<u32*>(word);
    *w = (*w & ~(0xffU << (8 * kByte))) | static_cast<u32>(value << (8 * kByte));
}
inline void store_low_half(void* word, u64 value) {
    auto* w = static_cast<u32*>(word);
    *w = (*w & kTailMask) | static_cast<u32>(value);
}

}  // namespace linefill::kernel::words

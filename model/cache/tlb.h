// SPDX-License-Identifier: Apache-2.0
// The TLBs of one core, shared by its hardware threads. Pages are 4 KiB, 2 MiB or 1 GiB; the page of an
// address follows from the address (Addr bit 62 marks a mapping by 4 KiB pages).
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/access.h"
#include "model/platform/platform.h"

namespace linefill::model {

/// Set in addresses that are mapped by 4 KiB pages (user memory, vmalloc); the rest of the address is
/// the physical one. Addresses without it lie in the kernel's linear map.
inline constexpr Addr kSmallPageBit = Addr{1} << 62;
constexpr Addr physical(Addr a) { return a & ~kSmallPageBit; }

enum class PageSize : std::uint8_t { k4K, k2M, k1G };
constexpr unsigned page_bits(PageSize p) {
    return p == PageSize::k4K ? 12U : p == PageSize::k2M ? 21U : 30U;
}

/// A small set-associative buffer of page numbers with LRU.
class TlbArray {
public:
    explicit TlbArray(const TlbConfig& c);
    bool lookup(Addr page);  ///< true: hit, and most recently used now
    void fill(Addr page);
    void flush();
    unsigned entries() const { return static_cast<unsigned>(pages_.size()); }

private:
    unsigned sets_;
    unsigned ways_;
    std::vector<Addr> pages_;  // per set, most recently used first
};

enum class TlbResult : std::uint8_t { kHit, kStlbHit, kWalk };

class Tlbs {
public:
    explicit Tlbs(const TlbsConfig& c);

    PageSize page_of(Addr a) const { return (a & kSmallPageBit) != 0 ? PageSize::k4K : linear_; }
    /// Looks a data address up, filling on a miss.
    TlbResult data(Addr a);
    /// Looks a code address up, filling on a miss.
    TlbResult code(Addr a, bool user);
    /// CR3 write: everything that is not global (the kernel's linear map and text are).
    void flush_non_global();

    /// Last data page looked up: the inline fast path of a hardware thread compares with it.
    Addr last_data_page() const { return last_page_; }
    unsigned last_data_shift() const { return last_shift_; }

private:
    PageSize linear_;
    PageSize text_;
    bool stlb_2m_;
    TlbArray d4k_, d2m_, d1g_, i4k_, i2m_, stlb_;
    Addr last_page_ = ~Addr{0};
    unsigned last_shift_ = 0;
};

}  // namespace linefill::model

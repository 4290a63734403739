// SPDX-License-Identifier: Apache-2.0
// The TLBs of one core, shared by its hardware threads. Pages are 4 KiB, 2 MiB or 1 GiB; the page of an
// address follows from the address (Addr bit 62 marks a mapping by 4 KiB pages, bit 61 the kernel's
// image).
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/access.h"
#include "model/platform/platform.h"

namespace linefill::model {

/// Set in addresses that are mapped by 4 KiB pages (user memory, vmalloc); the rest of the address is
/// the physical one.
inline constexpr Addr kSmallPageBit = Addr{1} << 62;
/// Set in addresses of static kernel data: they are reached through the mapping of the kernel's image,
/// which has the pages of its text. Addresses without either bit lie in the kernel's linear map.
inline constexpr Addr kImageBit = Addr{1} << 61;
constexpr Addr physical(Addr a) { return a & ~(kSmallPageBit | kImageBit); }

enum class PageSize : std::uint8_t { k4K, k2M, k1G };
constexpr unsigned page_bits(PageSize p) {
    return p == PageSize::k4K ? 12U : p == PageSize::k2M ? 21U : 30U;
}

/// A small set-associative buffer of page numbers with LRU.
class TlbArray {
public:
    explicit TlbArray(const TlbConfig& c);
    bool lookup(Addr page) {  ///< true: hit, and most recently used now
        return is_latest(page) || lookup_older(page);
    }
    /// True: a lookup would hit, and change nothing.
    bool is_latest(Addr page) const { return pages_[first_of(page)] == page; }
    void fill(Addr page);
    void flush();
    bool empty() const { return sets_ == 0; }
    unsigned entries() const { return sets_ * ways_; }

private:
    bool lookup_older(Addr page);
    static Addr set_mask(unsigned sets);
    std::size_t first_of(Addr page) const {
        return (mask_ != kNoMask ? page & mask_ : page % sets_) * ways_;
    }

    unsigned sets_;
    unsigned ways_;
    static constexpr Addr kNoMask = ~Addr{0};
    Addr mask_;  // of a page's set; kNoMask: their number is no power of two
    /// Per set, most recently used first; of an array without entries one that is no page.
    std::vector<Addr> pages_;
};

enum class TlbResult : std::uint8_t { kHit, kStlbHit, kWalk };

class Tlbs {
public:
    explicit Tlbs(const TlbsConfig& c);

    /// Pages are told apart with the bits of their mapping, as the mappings are different ones.
    PageSize page_of(Addr a) const {
        if ((a & (kSmallPageBit | kImageBit)) == 0) return linear_;
        return (a & kSmallPageBit) != 0 ? PageSize::k4K : text_;
    }
    /// Looks a data address up, filling on a miss.
    TlbResult data(Addr a) {
        const PageSize size = page_of(a);
        if (first_level(size).is_latest(a >> page_bits(size))) return TlbResult::kHit;
        return data_older(a);
    }
    /// True: data() would say kHit, and change nothing.
    bool data_hits(Addr a) const {
        const PageSize size = page_of(a);
        return first_level(size).is_latest(a >> page_bits(size));
    }
    /// Looks a code address up, filling on a miss.
    TlbResult code(Addr a, bool user);
    /// CR3 write: everything that is not global (the kernel's linear map and text are).
    void flush_non_global();

private:
    TlbResult data_older(Addr a);
    const TlbArray& first_level(PageSize size) const {
        return size == PageSize::k4K ? d4k_ : size == PageSize::k2M ? d2m_ : d1g_;
    }

    PageSize linear_;
    PageSize text_;
    bool stlb_2m_;
    TlbArray d4k_, d2m_, d1g_, i4k_, i2m_, stlb_;
    Addr last_without_entries_ = ~Addr{0};  // page, of a size that has no first level of its own
};

}  // namespace linefill::model

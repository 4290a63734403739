// SPDX-License-Identifier: Apache-2.0
#include "model/cache/tlb.h"

#include <algorithm>
#include <utility>

#include "model/sim/error.h"

namespace linefill::model {

namespace {

PageSize page_size(const std::string& name, const char* key) {
    if (name == "4KiB") return PageSize::k4K;
    if (name == "2MiB") return PageSize::k2M;
    if (name == "1GiB") return PageSize::k1G;
    throw UserError("unknown page size").key(key).value(name).expected("4KiB, 2MiB or 1GiB");
}

constexpr Addr kNoPage = ~Addr{0};

}  // namespace

TlbArray::TlbArray(const TlbConfig& c)
    : sets_(c.ways == 0 ? 0 : std::max(1U, c.entries / c.ways)),
      ways_(c.ways),
      mask_(set_mask(sets_)),
      pages_(std::max<std::size_t>(static_cast<std::size_t>(sets_) * ways_, 1), kNoPage) {}

Addr TlbArray::set_mask(unsigned sets) {
    if (sets == 0) return 0;
    return (sets & (sets - 1)) == 0 ? sets - 1 : kNoMask;
}

bool TlbArray::lookup_older(Addr page) {
    if (sets_ == 0) return false;
    Addr* set = &pages_[first_of(page)];
    if (ways_ > 1 && set[1] == page) {
        std::swap(set[0], set[1]);
        return true;
    }
    for (unsigned w = 2; w < ways_; ++w) {
        if (set[w] == page) {
            std::move_backward(set, set + w, set + w + 1);
            set[0] = page;
            return true;
        }
    }
    return false;
}

void TlbArray::fill(Addr page) {
    if (sets_ == 0) return;
    Addr* set = &pages_[first_of(page)];
    std::move_backward(set, set + ways_ - 1, set + ways_);
    set[0] = page;
}

void TlbArray::flush() { std::fill(pages_.begin(), pages_.end(), kNoPage); }

Tlbs::Tlbs(const TlbsConfig& c)
    : linear_(page_size(c.linear_map_page, "tlb.linear_map_page")),
      text_(page_size(c.kernel_text_page, "tlb.kernel_text_page")),
      stlb_2m_(c.stlb_pages == "4k+2m"),
      d4k_(c.dtlb_4k),
      d2m_(c.dtlb_2m),
      d1g_(c.dtlb_1g),
      i4k_(c.itlb_4k),
      i2m_(c.itlb_2m),
      stlb_(c.stlb) {}

TlbResult Tlbs::data_older(Addr a) {
    const PageSize size = page_of(a);
    const Addr page = a >> page_bits(size);
    TlbArray& first = size == PageSize::k4K ? d4k_ : size == PageSize::k2M ? d2m_ : d1g_;
    if (first.lookup(page)) return TlbResult::kHit;
    if (first.empty() && std::exchange(last_without_entries_, page) == page) return TlbResult::kHit;
    const bool backed = size == PageSize::k4K || (size == PageSize::k2M && stlb_2m_);
    // 4 KiB and 2 MiB pages of the second level are told apart by a bit above any page number.
    const Addr key = page | (size == PageSize::k2M ? Addr{1} << 60 : 0);
    if (backed && stlb_.lookup(key)) {
        first.fill(page);
        return TlbResult::kStlbHit;
    }
    first.fill(page);
    if (backed) stlb_.fill(key);
    return TlbResult::kWalk;
}

TlbResult Tlbs::code(Addr a, bool user) {
    const PageSize size = user ? PageSize::k4K : text_;
    const Addr page = physical(a) >> page_bits(size);
    TlbArray& first = size == PageSize::k4K ? i4k_ : i2m_;
    if (first.lookup(page)) return TlbResult::kHit;
    const bool backed = size == PageSize::k4K;
    const Addr key = page | Addr{1} << 61;
    first.fill(page);
    if (backed && stlb_.lookup(key)) return TlbResult::kStlbHit;
    if (backed) stlb_.fill(key);
    return TlbResult::kWalk;
}

void Tlbs::flush_non_global() {
    d4k_.flush();
    i4k_.flush();
    stlb_.flush();
    last_without_entries_ = kNoPage;
}

}  // namespace linefill::model

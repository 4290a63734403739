// SPDX-License-Identifier: Apache-2.0
// Why a miss was a miss: cold, capacity, conflict, true or false sharing. Works only while attribution
// is on; costs one test per event otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "model/core/access.h"
#include "model/core/lru_shadow.h"
#include "model/sim/flat_table.h"

namespace linefill::model {

class MissClassifier {
public:
    /// `lines`: capacity of one L1D, for the fully associative shadow.
    void enable(unsigned cores, std::size_t lines);
    bool enabled() const { return enabled_; }

    void on_evict(unsigned core, Addr line) {
        if (enabled_) lose(core, line, false);
    }
    void on_invalidate(unsigned core, Addr line, bool back) {
        if (enabled_) lose(core, line, !back);
    }
    /// A store or locked operation of `core` to `addr`.
    void on_write(unsigned core, Addr addr, unsigned size);
    /// Every demand access, hits too (keeps the shadow's order).
    void on_access(unsigned core, Addr line) {
        if (enabled_) shadow_[core].touch(line);
    }
    /// Class of a miss of `core` on `addr`; call before on_access of the same access.
    MissClass classify(unsigned core, Addr addr, unsigned size);

private:
    struct LineKey {
        Addr line = ~Addr{0};
        [[nodiscard]] std::size_t hash() const { return mix(line, 0); }
        [[nodiscard]] bool is_free() const { return line == ~Addr{0}; }
        bool operator==(const LineKey& o) const { return line == o.line; }
    };
    static constexpr unsigned kWords = 8;  ///< of a line

    // What is known of a line, as 64-bit numbers: for each core when it lost the line (twice the
    // sequence number, plus 1 if to a snoop; 0: never had it), then for each 8-byte word when it was
    // last written and by which core (256 times the sequence number, plus the core).
    std::uint64_t* record_of(Addr line);
    void lose(unsigned core, Addr line, bool to_snoop) {
        record_of(line)[core] = ++sequence_ << 1U | (to_snoop ? 1U : 0U);
    }

    bool enabled_ = false;
    unsigned cores_ = 0;
    std::uint64_t sequence_ = 0;
    FlatTable<LineKey, std::uint32_t> numbers_;  ///< from 1, of the lines' records
    std::vector<std::uint64_t> records_;
    std::vector<LruShadow> shadow_;
};

}  // namespace linefill::model

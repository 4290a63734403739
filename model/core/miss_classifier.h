// SPDX-License-Identifier: Apache-2.0
// Why a miss was a miss: cold, capacity, conflict, true or false sharing. Works only while attribution
// is on; costs one test per event otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/core/access.h"
#include "model/core/lru_shadow.h"
#include "model/sim/flat_table.h"

namespace linefill::model {

class MissClassifier {
public:
    static constexpr std::uint32_t kMostEvents = 0x7fffffff;

    /// `lines`: capacity of one L1D, for the fully associative shadow. `most_events` of one line are
    /// told apart by number before the numbers begin anew.
    void enable(unsigned cores, std::size_t lines, std::uint32_t most_events = kMostEvents);
    bool enabled() const { return enabled_; }

    void on_evict(unsigned core, Addr line) {
        if (enabled_) lose(core, line, false);
    }
    void on_invalidate(unsigned core, Addr line, bool back) {
        if (enabled_) lose(core, line, !back);
    }
    /// A store or locked operation of `core` to `addr`.
    void on_write(unsigned core, Addr addr, unsigned size);
    /// Of the core, to be touched by all its demand accesses, hits too; null while not enabled.
    LruShadow* shadow_of(unsigned core) { return enabled_ ? &shadow_[core] : nullptr; }
    /// Class of a miss of `core` on `addr`; before the shadow is touched by the same access.
    MissClass classify(unsigned core, Addr addr, unsigned size);

private:
    struct LineKey {
        Addr line = ~Addr{0};
        [[nodiscard]] std::size_t hash() const { return mix(line, 0); }
        [[nodiscard]] bool is_free() const { return line == ~Addr{0}; }
        bool operator==(const LineKey& o) const { return line == o.line; }
    };
    static constexpr unsigned kWords = 8;  ///< of a line

    // What is known of a line: events that concern it are numbered from 1. The record is the host's
    // lines with, for each core, when it lost the line (twice the number, plus 1 if to a snoop; 0:
    // never had it), then one with the writes.
    static constexpr unsigned kCoresPerBlock = 16;
    struct alignas(64) Block {
        std::uint32_t lost[kCoresPerBlock] = {};
    };
    struct alignas(64) Writes {
        std::uint32_t events = 0;            ///< of the line so far
        std::uint32_t written[kWords] = {};  ///< when each word was last written
        std::uint8_t writer[kWords] = {};    ///< and by which core
    };
    struct Record {
        Block* blocks;
        Writes* writes;
        std::uint32_t& lost(unsigned core) const {
            return blocks[core / kCoresPerBlock].lost[core % kCoresPerBlock];
        }
    };

    Record record_of(Addr line);
    /// The number of a new event.
    std::uint32_t next_event(const Record& r) {
        if (r.writes->events == most_events_) renumber(r);
        return ++r.writes->events;
    }
    void renumber(const Record& r) const;
    void lose(unsigned core, Addr line, bool to_snoop) {
        const Record r = record_of(line);
        r.lost(core) = next_event(r) << 1U | (to_snoop ? 1U : 0U);
    }

    bool enabled_ = false;
    unsigned cores_ = 0;
    std::size_t blocks_per_line_ = 0;
    std::uint32_t most_events_ = kMostEvents;
    FlatTable<LineKey, std::uint32_t> numbers_;  ///< from 1, of the lines' records
    Addr last_line_ = ~Addr{0};  ///< that was asked for: what is written next is often on it too
    std::uint32_t last_number_ = 0;
    std::vector<Block> blocks_;
    std::vector<Writes> writes_;
    std::vector<LruShadow> shadow_;
};

}  // namespace linefill::model

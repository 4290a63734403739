// SPDX-License-Identifier: Apache-2.0
// A set-associative array of any ways and any number of sets: tags, what a level keeps per line, and a
// replacement policy. No timing and no protocol.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/cache/replacement/policy.h"
#include "model/cache/replacement/tree_plru.h"
#include "model/cache/tag_store.h"
#include "model/core/access.h"
#include "model/platform/platform.h"

namespace linefill::model {

template <class Meta>
class CacheArray {
public:
    static constexpr std::size_t kMiss = ~std::size_t{0};

    CacheArray(const CacheConfig& c, std::uint64_t seed)
        : sets_(c.sets()),
          slices_(c.slices == 0 ? 1 : c.slices),
          sets_per_slice_(sets_ / slices_),
          set_mask_((sets_per_slice_ & (sets_per_slice_ - 1)) == 0 ? sets_per_slice_ - 1 : 0),
          slice_mask_((slices_ & (slices_ - 1)) == 0 ? slices_ - 1 : 0),
          tags_(sets_, c.ways, static_cast<unsigned>(__builtin_ctzll(sets_per_slice_))),
          meta_(tags_.slots()),
          free_ways_(sets_, c.ways),
          policy_(make_policy(c.policy, {sets_, c.ways, seed})),
          plru_(policy_->plru_bits()) {
        if (plru_ != nullptr) paths_ = plru_paths(c.ways);
    }

    /// Slot of `line`, or kMiss. Does not touch the replacement state.
    std::size_t find(Addr line) const {
        const std::size_t set = set_of(line);
        const unsigned way = tags_.find(set, line);
        return way == TagStore::kNoWay ? kMiss : tags_.slot(set, way);
    }
    /// Tells the policy that `slot` was used.
    void touch(std::size_t slot) {
        const std::size_t set = tags_.set_of(slot);
        const unsigned way = tags_.way_of(set, slot);
        if (!touch_plru(set, way)) policy_->on_hit(set, way, has_free_way(set));
    }
    /// The slot that a fill of `line` will use: an invalid way if there is one, else the victim, which
    /// is still there (check valid()).
    std::size_t slot_for(Addr line) {
        const std::size_t set = set_of(line);
        if (has_free_way(set)) return tags_.slot(set, tags_.free_way(set));
        return tags_.slot(
            set, plru_ != nullptr ? plru_victim(plru_[set], tags_.ways()) : policy_->victim(set));
    }
    /// Puts `line` into `slot`, whose former line the caller has dealt with.
    void fill(std::size_t slot, Addr line, const Meta& meta) {
        const std::size_t set = tags_.set_of(slot);
        if (!tags_.valid(slot)) {
            ++resident_;
            --free_ways_[set];
        }
        tags_.put(slot, line);
        meta_[slot] = meta;
        const unsigned way = tags_.way_of(set, slot);
        if (!touch_plru(set, way)) policy_->on_fill(set, way, has_free_way(set));
    }
    void invalidate(std::size_t slot) {
        assert(tags_.valid(slot));
        tags_.free(slot);
        --resident_;
        ++free_ways_[tags_.set_of(slot)];
    }
    bool valid(std::size_t slot) const { return tags_.valid(slot); }
    Addr line_at(std::size_t slot) const { return tags_.line_at(slot); }
    Meta& meta(std::size_t slot) { return meta_[slot]; }
    const Meta& meta(std::size_t slot) const { return meta_[slot]; }
    /// Some numbers below this one are no slots: never valid.
    std::size_t slots() const { return tags_.slots(); }
    std::size_t resident() const { return resident_; }

    std::size_t set_of(Addr line) const {
        const std::size_t in_slice = set_mask_ != 0 ? line & set_mask_ : line % sets_per_slice_;
        return slices_ == 1 ? in_slice : slice_of(line) * sets_per_slice_ + in_slice;
    }
    /// Address hash over the slices: folds the upper bits down, any even spread is good enough.
    std::size_t slice_of(Addr line) const {
        Addr h = line ^ (line >> 11);
        h ^= h >> 7;
        h ^= h >> 19;
        h = h * 0x9e3779b97f4a7c15ULL >> 40;
        return slice_mask_ != 0 ? h & slice_mask_ : h % slices_;
    }

private:
    bool has_free_way(std::size_t set) const { return free_ways_[set] != 0; }
    /// Marks the way as used last, inline where the policy is tree-PLRU; false for other policies.
    bool touch_plru(std::size_t set, unsigned way) {
        if (plru_ == nullptr) return false;
        plru_[set] = (plru_[set] & paths_.keep[way]) | paths_.set[way];
        return true;
    }

    std::size_t sets_;
    std::size_t slices_;
    std::size_t sets_per_slice_;
    Addr set_mask_;    // 0: no power of two, or a single one
    Addr slice_mask_;  // likewise
    TagStore tags_;
    std::vector<Meta> meta_;
    std::vector<unsigned> free_ways_;  // how many of each set hold nothing
    std::unique_ptr<ReplacementPolicy> policy_;
    std::uint64_t* plru_;
    PlruPaths paths_;
    std::size_t resident_ = 0;
};

}  // namespace linefill::model

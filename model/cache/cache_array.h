// SPDX-License-Identifier: Apache-2.0
// A set-associative array of any ways and any number of sets: tags, what a level keeps per line, and a
// replacement policy. No timing and no protocol.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/cache/replacement/policy.h"
#include "model/cache/replacement/tree_plru.h"
#include "model/core/access.h"
#include "model/platform/platform.h"

namespace linefill::model {

template <class Meta>
class CacheArray {
public:
    static constexpr std::size_t kMiss = ~std::size_t{0};

    CacheArray(const CacheConfig& c, std::uint64_t seed)
        : sets_(c.sets()),
          ways_(c.ways),
          slices_(c.slices == 0 ? 1 : c.slices),
          sets_per_slice_(sets_ / slices_),
          power_of_two_((sets_ & (sets_ - 1)) == 0 && slices_ == 1),
          ways_shift_((ways_ & (ways_ - 1)) == 0 ? static_cast<unsigned>(__builtin_ctz(ways_)) : 0),
          tags_(sets_ * ways_, kInvalid),
          meta_(sets_ * ways_),
          policy_(make_policy(c.policy, {sets_, ways_, seed})),
          plru_(policy_->plru_bits()) {
        if (plru_ != nullptr) paths_ = plru_paths(ways_);
    }

    /// Slot of `line`, or kMiss. Does not touch the replacement state.
    std::size_t find(Addr line) const {
        const std::size_t guess = hints_[line % kHints];
        if (tags_[guess] == line) return guess;
        const std::size_t base = set_of(line) * ways_;
        for (unsigned w = 0; w < ways_; ++w) {
            if (tags_[base + w] == line) {
                hints_[line % kHints] = static_cast<std::uint32_t>(base + w);
                return base + w;
            }
        }
        return kMiss;
    }
    /// Tells the policy that `slot` was used.
    void touch(std::size_t slot) {
        const std::size_t set = set_of_slot(slot);
        const auto way = static_cast<unsigned>(slot - set * ways_);
        if (plru_ != nullptr) {
            plru_[set] = (plru_[set] & paths_.keep[way]) | paths_.set[way];
        } else {
            policy_->on_hit(set, way, has_invalid(set));
        }
    }
    /// The slot that a fill of `line` will use: an invalid way if there is one, else the victim, which
    /// is still there (check valid()).
    std::size_t slot_for(Addr line) {
        const std::size_t set = set_of(line);
        for (unsigned w = 0; w < ways_; ++w) {
            if (tags_[set * ways_ + w] == kInvalid) return set * ways_ + w;
        }
        return set * ways_ + policy_->victim(set);
    }
    /// Puts `line` into `slot`, whose former line the caller has dealt with.
    void fill(std::size_t slot, Addr line, const Meta& meta) {
        const bool was_invalid = tags_[slot] == kInvalid;
        tags_[slot] = line;
        meta_[slot] = meta;
        if (was_invalid) ++resident_;
        const std::size_t set = set_of_slot(slot);
        policy_->on_fill(set, static_cast<unsigned>(slot - set * ways_), has_invalid(set));
    }
    void invalidate(std::size_t slot) {
        assert(tags_[slot] != kInvalid);
        tags_[slot] = kInvalid;
        --resident_;
    }
    bool valid(std::size_t slot) const { return tags_[slot] != kInvalid; }
    Addr line_at(std::size_t slot) const { return tags_[slot]; }
    Meta& meta(std::size_t slot) { return meta_[slot]; }
    const Meta& meta(std::size_t slot) const { return meta_[slot]; }
    std::size_t slots() const { return tags_.size(); }
    std::size_t resident() const { return resident_; }

    std::size_t set_of(Addr line) const {
        if (power_of_two_) return line & (sets_ - 1);
        if (slices_ == 1) return line % sets_;
        return slice_of(line) * sets_per_slice_ + line % sets_per_slice_;
    }
    /// Address hash over the slices: folds the upper bits down, any even spread is good enough.
    std::size_t slice_of(Addr line) const {
        Addr h = line ^ (line >> 11);
        h ^= h >> 7;
        h ^= h >> 19;
        return (h * 0x9e3779b97f4a7c15ULL >> 40) % slices_;
    }

private:
    static constexpr Addr kInvalid = ~Addr{0};
    static constexpr std::size_t kHints = 256;  // where the last lines were found, by line number
    std::size_t set_of_slot(std::size_t slot) const {
        return ways_shift_ != 0 ? slot >> ways_shift_ : slot / ways_;
    }
    bool has_invalid(std::size_t set) const {
        for (unsigned w = 0; w < ways_; ++w) {
            if (tags_[set * ways_ + w] == kInvalid) return true;
        }
        return false;
    }

    std::size_t sets_;
    unsigned ways_;
    std::size_t slices_;
    std::size_t sets_per_slice_;
    bool power_of_two_;
    unsigned ways_shift_;  // 0: not a power of two
    std::vector<Addr> tags_;
    std::vector<Meta> meta_;
    std::unique_ptr<ReplacementPolicy> policy_;
    std::uint64_t* plru_;
    PlruPaths paths_;
    mutable std::array<std::uint32_t, kHints> hints_{};
    std::size_t resident_ = 0;
};

}  // namespace linefill::model

// SPDX-License-Identifier: Apache-2.0
// Builds the scheduling domains of a machine (values: kernel-paths h).
#include "kernel/sched/topology.h"

#include <algorithm>
#include <functional>

#include "model/machine.h"
#include "model/sim/error.h"

namespace linefill::kernel {

struct SchedTopology::Level {
    const char* name;
    int number;
    u32 flags;
    u32 imbalance_pct, cache_nice_tries, busy_idx, idle_idx;
    std::function<u64(unsigned)> span;  ///< CPUs of the domain of a CPU
};

namespace {

constexpr u32 kAllLevels =
    kSdLoadBalance | kSdBalanceNewidle | kSdBalanceExec | kSdBalanceFork | kSdWakeAffine;
constexpr unsigned kSmtGain = 1178;  // capacity of a core whose two threads both run, in 1024ths

u64 mask_of(unsigned cpus, const std::function<bool(unsigned)>& in) {
    u64 mask = 0;
    for (unsigned c = 0; c < cpus; ++c) {
        if (in(c)) mask |= u64{1} << c;
    }
    return mask;
}

/// Computing power of a group, in 1024ths of a CPU: siblings share a core's.
u32 capacity_of_mask(u64 mask, const model::Machine& machine) {
    u32 total = 0;
    for_each_cpu(mask, [&](int c) {
        const auto cpu = static_cast<unsigned>(c);
        total += machine.sibling(cpu) == cpu ? 1024 : kSmtGain / 2;
    });
    return total;
}

}  // namespace

SchedTopology::SchedTopology(model::Machine& machine, Memory& memory, const Layout& layout)
    : cpus_(machine.cpus()),
      lowest_(cpus_),
      highest_(cpus_),
      llc_(cpus_),
      llc_id_(cpus_),
      llc_size_(cpus_, 1) {
    if (cpus_ > 64) {
        throw model::UserError("too many CPUs for the kernel's configuration")
            .key("topology")
            .value(std::to_string(cpus_))
            .expected("at most 64 (NR_CPUS)");
    }
    for (unsigned c = 0; c < cpus_; ++c) node_of_.push_back(machine.node_of(c));
    const auto core_mask = [&](unsigned c) {
        return mask_of(cpus_, [&](unsigned o) { return machine.core_of(o) == machine.core_of(c); });
    };
    const auto socket_mask = [&](unsigned c) {
        return mask_of(cpus_,
                       [&](unsigned o) { return machine.socket_of(o) == machine.socket_of(c); });
    };
    const auto all_mask = [&](unsigned) { return mask_of(cpus_, [](unsigned) { return true; }); };
    const std::vector<Level> levels = {
        {"SMT", 0, kAllLevels | kSdShareCpucapacity | kSdSharePkgResources | kSdPreferSibling, 110,
         0, 0, 0, core_mask},
        // The DIE level would span the same CPUs: it goes, and its PREFER_SIBLING stays here.
        {"MC", 1, kAllLevels | kSdSharePkgResources | kSdPreferSibling, 117, 1, 2, 0, socket_mask},
        {"NUMA", 2, kAllLevels | kSdNuma | kSdSerialize, 125, 2, 3, 2, all_mask},
    };
    for (const Level& level : levels) build_level(level, memory, layout);
    for (auto& g : groups_) {
        g->sgc.peek()->capacity.poke(capacity_of_mask(g->cpumask.peek(), machine));
    }
    for (unsigned c = 0; c < cpus_; ++c) {
        const u64 span = socket_mask(c);
        llc_id_[c] = __builtin_ctzll(span);
        llc_size_[c] = __builtin_popcountll(span);
        for (SchedDomain* d = lowest_[c]; d != nullptr; d = d->parent.peek()) {
            if ((d->flags.peek() & kSdSharePkgResources) != 0) llc_[c] = d;
        }
        sd_llc_.push_back(
            std::make_unique<Field<u64>>(memory.per_cpu("sd_llc", c, 8, 8), 8,
                                         FieldRegistry::instance().id("per_cpu", "sd_llc", 0, 8)));
    }
}

void SchedTopology::build_level(const Level& level, Memory& memory, const Layout& layout) {
    const auto place = [&](const char* structure, unsigned extra, unsigned node) {
        return Place{&layout, structure, "",
                     memory.kmalloc(layout.size_of(structure) + extra, node)};
    };
    // Groups of a domain are the domains of the level below (single CPUs at the lowest). CPUs of one
    // domain walk the same ring, each from its own group on.
    std::vector<std::pair<u64, SchedGroup*>> known;
    const auto group_of = [&](u64 mask) {
        for (const auto& [m, g] : known) {
            if (m == mask) return g;
        }
        const unsigned node = node_of_[static_cast<unsigned>(__builtin_ctzll(mask))];
        groups_.push_back(std::make_unique<SchedGroup>(
            place("sched_group", 8, node), place("sched_group_capacity", 8, node), mask));
        known.emplace_back(mask, groups_.back().get());
        return groups_.back().get();
    };
    for (unsigned c = 0; c < cpus_; ++c) {
        const u64 span = level.span(c);
        SchedDomain* below = highest_[c];
        const u64 inner = below != nullptr ? below->span.peek() : u64{1} << c;
        if (span == inner) continue;  // degenerate
        auto d = std::make_unique<SchedDomain>(place("sched_domain", 8, node_of_[c]));
        const auto weight = static_cast<u32>(__builtin_popcountll(span));
        d->name = level.name;
        d->level.poke(level.number);
        d->flags.poke(level.flags);
        d->imbalance_pct.poke(level.imbalance_pct);
        d->cache_nice_tries.poke(level.cache_nice_tries);
        d->busy_idx.poke(level.busy_idx);
        d->idle_idx.poke(level.idle_idx);
        d->span.poke(span);
        d->span_weight.poke(weight);
        d->min_interval.poke(weight);
        d->max_interval.poke(2 * u64{weight});
        d->balance_interval.poke(weight);
        d->child.poke(below);
        SchedGroup* first = nullptr;
        SchedGroup* last = nullptr;
        // The ring, begun with this CPU's own group, then upwards by number, around.
        u64 left = span;
        for (unsigned i = 0; left != 0; ++i) {
            const unsigned at = (c + i) % cpus_;
            if ((left >> at & 1) == 0) continue;
            SchedDomain* const other = highest_[at];
            // A level that this pass has built for an earlier CPU already: its child is meant.
            SchedDomain* const child = other != nullptr && other->level.peek() == level.number
                                           ? other->child.peek()
                                           : other;
            const u64 mask = child != nullptr ? child->span.peek() : u64{1} << at;
            SchedGroup* g = group_of(mask);
            left &= ~mask;
            if (first == nullptr) first = g;
            if (last != nullptr) last->next.poke(g);
            last = g;
        }
        last->next.poke(first);
        d->groups.poke(first);
        if (below != nullptr) {
            below->parent.poke(d.get());
        } else {
            lowest_[c] = d.get();
        }
        highest_[c] = d.get();
        domains_.push_back(std::move(d));
    }
}

}  // namespace linefill::kernel

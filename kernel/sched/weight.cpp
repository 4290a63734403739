// SPDX-License-Identifier: Apache-2.0
// Weights of nice levels and the fixed-point division by a weight.
#include "kernel/sched/weight.h"

#include <array>
#include <cstddef>

#include "kernel/base/function.h"
#include "kernel/kernel.h"

namespace linefill::kernel {

namespace {

const KernelFunction kCalcDelta{"__calc_delta", "kernel/sched/fair.c", 160, 0};

constexpr std::array<u32, 40> kWeights = {
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,   655,   526,   423,  335,  272,  215,
    172,   137,   110,   87,    70,    56,    45,    36,    29,    23,    18,   15};

constexpr std::array<u32, 40> kInverses = {
    48388,    59856,    76040,    92818,     118348,    147320,    184698,    229616,
    287308,   360437,   449829,   563644,    704093,    875809,    1099582,   1376151,
    1717300,  2157191,  2708050,  3363326,   4194304,   5237765,   6557202,   8165337,
    10153587, 12820798, 15790321, 19976592,  24970740,  31350126,  39045157,  49367440,
    61356676, 76695844, 95443717, 119304647, 148102320, 186737708, 238609294, 286331153};

constexpr u64 kInverseOne = 0xffffffffULL;  // of weight 1

std::size_t row_of(int nice) {
    const int row = nice + 20;
    return static_cast<std::size_t>(row);
}

}  // namespace

u32 nice_weight(int nice) { return kWeights.at(row_of(nice)); }
u32 nice_inverse(int nice) { return kInverses.at(row_of(nice)); }

u32 inverse_of(u64 w) {
    if (w >= kInverseOne) return 1;
    return w == 0 ? static_cast<u32>(kInverseOne) : static_cast<u32>(kInverseOne / w);
}

u64 scale_delta(u64 delta, u64 w, u32 inverse) {
    int shift = 32;
    u64 fact = w;
    for (; (fact >> 32) != 0; --shift) fact >>= 1;
    fact *= inverse;
    for (; (fact >> 32) != 0; --shift) fact >>= 1;
    return static_cast<u64>((static_cast<unsigned __int128>(delta) * fact) >> shift);
}

u64 calc_delta(u64 delta, u64 weight, KPtr<SchedEntity> owner, LoadWeight& lw) {
    const Frame frame(kCalcDelta);
    const Token dep = owner.token();
    g_next_dep = dep;
    u32 inverse = lw.inv_weight;
    if (inverse == 0) {
        g_next_dep = dep;
        inverse = inverse_of(scale_load_down(lw.weight));
        g_next_dep = dep;
        lw.inv_weight = inverse;
        run(12);  // the 32-bit divide and its checks
    }
    run(22);
    return scale_delta(delta, scale_load_down(weight), inverse);
}

u64 calc_delta_fair(u64 delta, KPtr<SchedEntity> se) {
    const u64 weight = se->load.weight;
    run(2);
    const u64 nice_0 = kernel().sw().nice_0_load;
    if (weight == nice_0) return delta;
    return calc_delta(delta, nice_0, se, se.get()->load);
}

void update_load_add(LoadWeight& lw, u64 weight) {
    lw.weight += weight;
    lw.inv_weight = 0;
}

void update_load_sub(LoadWeight& lw, u64 weight) {
    lw.weight -= weight;
    lw.inv_weight = 0;
}

void update_load_set(LoadWeight& lw, u64 weight) {
    lw.weight = weight;
    lw.inv_weight = 0;
}

u64 scale_load_down(u64 weight) { return weight >> kernel().sw().load_shift; }
u64 scale_load(u64 weight) { return weight << kernel().sw().load_shift; }

}  // namespace linefill::kernel

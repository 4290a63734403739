// SPDX-License-Identifier: Apache-2.0
// The arithmetic of per-entity load tracking.
#include "kernel/sched/pelt_math.h"

#include <array>

namespace linefill::kernel {

namespace {

/// y^n * 2^32.
constexpr std::array<std::uint32_t, 32> kInverse = {
    0xffffffff, 0xfa83b2da, 0xf5257d14, 0xefe4b99a, 0xeac0c6e6, 0xe5b906e6, 0xe0ccdeeb, 0xdbfbb796,
    0xd744fcc9, 0xd2a81d91, 0xce248c14, 0xc9b9bd85, 0xc5672a10, 0xc12c4cc9, 0xbd08a39e, 0xb8fbaf46,
    0xb504f333, 0xb123f581, 0xad583ee9, 0xa9a15ab4, 0xa5fed6a9, 0xa2704302, 0x9ef5325f, 0x9b8d39b9,
    0x9837f050, 0x94f4efa8, 0x91c3d373, 0x8ea4398a, 0x8b95c1e3, 0x88980e80, 0x85aac367, 0x82cd8698};

/// Sum of 1024 * y^i for i = 1..n.
constexpr std::array<std::uint32_t, 33> kSum = {
    0,     1002,  1982,  2941,  3880,  4798,  5697,  6576,  7437,  8279,  9103,
    9909,  10698, 11470, 12226, 12966, 13690, 14398, 15091, 15769, 16433, 17082,
    17718, 18340, 18949, 19545, 20128, 20698, 21256, 21802, 22336, 22859, 23371};

constexpr unsigned kCapacityShift = 10;  // utilisation is in 1024ths of a CPU

}  // namespace

std::uint64_t decay_load(std::uint64_t value, std::uint64_t periods) {
    if (periods == 0) return value;
    if (periods > std::uint64_t{kLoadAvgPeriod} * 63) return 0;
    const std::uint64_t halved = value >> (periods / kLoadAvgPeriod);
    return static_cast<std::uint64_t>(
        (static_cast<unsigned __int128>(halved) * kInverse[periods % kLoadAvgPeriod]) >> 32);
}

std::uint32_t pelt_contribution(std::uint64_t periods) {
    if (periods <= kLoadAvgPeriod) return kSum[periods];
    if (periods >= kLoadAvgMaxN) return kLoadAvgMax;
    std::uint64_t contribution = 0;
    // Whole blocks of 32 periods: each halves what came before and adds one block.
    std::uint64_t n = periods;
    do {
        contribution = contribution / 2 + kSum[kLoadAvgPeriod];
        n -= kLoadAvgPeriod;
    } while (n > kLoadAvgPeriod);
    return static_cast<std::uint32_t>(decay_load(contribution, n) + kSum[n]);
}

unsigned decay_load_cost(std::uint64_t periods) { return periods == 0 ? 3 : 12; }

PeltUpdate pelt_accumulate(PeltSums& s, std::uint64_t now, std::uint64_t weight, bool running) {
    if (now < s.last_update_time) {
        s.last_update_time = now;
        return PeltUpdate::kResync;
    }
    std::uint64_t delta = (now - s.last_update_time) >> 10;
    if (delta == 0) return PeltUpdate::kNothing;
    s.last_update_time = now;
    const auto add = [&](std::uint64_t units) {
        s.load_sum += weight * units;
        s.runnable_load_sum += weight * units;
        if (running) s.util_sum += static_cast<std::uint32_t>(units << kCapacityShift);
    };
    bool decayed = false;
    if (delta + s.period_contrib >= kPeltPeriod) {
        decayed = true;
        const std::uint64_t rest = kPeltPeriod - s.period_contrib;  // of the period begun before
        s.period_contrib = 0;
        add(rest);
        delta -= rest;
        const std::uint64_t periods = delta / kPeltPeriod;
        delta %= kPeltPeriod;
        s.load_sum = decay_load(s.load_sum, periods + 1);
        s.runnable_load_sum = decay_load(s.runnable_load_sum, periods + 1);
        s.util_sum = static_cast<std::uint32_t>(decay_load(s.util_sum, periods + 1));
        add(pelt_contribution(periods));
    }
    add(delta);
    s.period_contrib += static_cast<std::uint32_t>(delta);
    return decayed ? PeltUpdate::kDecayed : PeltUpdate::kPartial;
}

}  // namespace linefill::kernel

// SPDX-License-Identifier: Apache-2.0
// Checks across keys. Each returns the first thing that does not fit.
#include "model/platform/check.h"

#include <algorithm>

#include "model/cache/replacement/policy.h"
#include "model/platform/units.h"
#include "model/sim/error.h"

namespace linefill::model {

namespace {

using Result = std::optional<Inconsistency>;

std::string with_value(const std::string& key, const std::string& value) {
    return key + " (" + value + ")";
}

// A policy may not suit every number of ways; it says so when it is made.
Result check_policy(const CacheConfig& cache, const std::string& key) {
    try {
        (void)make_policy(cache.policy, {.sets = 1, .ways = cache.ways, .seed = 0});
    } catch (const UserError& error) {
        return Inconsistency{error.problem(),
                             with_value(key + ".ways", std::to_string(cache.ways)) + " to suit " +
                                 with_value(key + ".policy", cache.policy),
                             {key + ".policy", key + ".ways"}};
    }
    return std::nullopt;
}

Result check_cache(const CacheConfig& cache, const std::string& key) {
    const std::uint64_t set_bytes = std::uint64_t{cache.line} * cache.ways;
    if (cache.size % set_bytes != 0) {
        return Inconsistency{"size does not divide into sets",
                             with_value(key + ".size", format_size(cache.size)) +
                                 " to be a multiple of ways x line (" + std::to_string(cache.ways) +
                                 " x " + format_size(cache.line) + ")",
                             {key + ".size", key + ".ways", key + ".line"}};
    }
    if (cache.sets() % cache.slices != 0) {
        return Inconsistency{"sets do not divide over the slices",
                             with_value(key + ".slices", std::to_string(cache.slices)) +
                                 " to divide the " + std::to_string(cache.sets()) +
                                 " sets of size / (ways x line)",
                             {key + ".slices", key + ".size", key + ".ways"}};
    }
    return check_policy(cache, key);
}

Result check_caches(const Platform& p) {
    struct Named {
        const CacheConfig* cache;
        const char* key;
    };
    for (const auto& [cache, key] : {Named{&p.l1i, "cache.l1i"}, Named{&p.l1d, "cache.l1d"},
                                     Named{&p.l2, "cache.l2"}, Named{&p.llc, "cache.llc"}}) {
        if (auto result = check_cache(*cache, key)) return result;
        if (cache == &p.llc || p.llc.inclusion != "inclusive") continue;
        if (p.llc.size < cache->size) {
            const std::string size_key = std::string(key) + ".size";
            return Inconsistency{"inclusive cache smaller than what it includes",
                                 with_value("cache.llc.size", format_size(p.llc.size)) +
                                     " to be at least " +
                                     with_value(size_key, format_size(cache->size)),
                                 {"cache.llc.size", size_key}};
        }
    }
    return std::nullopt;
}

// Some latencies are in cycles and some in ns: whatever clock the platform may run at, an outer
// level must not be nearer than an inner one.
Result check_latencies(const Platform& p) {
    struct Step {
        const char* inner_key;
        const Latency* inner;
        const char* outer_key;
        const Latency* outer;
    };
    struct Spread {
        const Latency* spread;
        const char* spread_key;
        const Latency* mean;
        const char* mean_key;
    };
    const auto [slowest, fastest] =
        std::minmax_element(p.clock.turbo_ghz.begin(), p.clock.turbo_ghz.end());
    for (const double ghz : {*slowest, *fastest}) {
        for (const auto& step :
             {Step{"cache.l1d.latency", &p.l1d.latency, "cache.l2.latency", &p.l2.latency},
              Step{"cache.l1i.latency", &p.l1i.latency, "cache.l2.latency", &p.l2.latency},
              Step{"cache.l2.latency", &p.l2.latency, "cache.llc.latency", &p.llc.latency}}) {
            if (step.outer->to_ns(ghz) < step.inner->to_ns(ghz)) {
                return Inconsistency{"level faster than the one above it",
                                     with_value(step.outer_key, format_latency(*step.outer)) +
                                         " to be at least " +
                                         with_value(step.inner_key, format_latency(*step.inner)) +
                                         " at " + format_clock(ghz),
                                     {step.outer_key, step.inner_key}};
            }
        }
        // A draw from the lower end may not arrive before it left.
        for (const auto& [spread, spread_key, mean, mean_key] :
             {Spread{&p.coherence.request_spread, "fabric.request_spread", &p.coherence.request_leg,
                     "fabric.request_leg"},
              Spread{&p.link.spread, "link.socket.spread", &p.link.latency,
                     "link.socket.latency"}}) {
            if (spread->to_ns(ghz) <= 2 * mean->to_ns(ghz)) continue;
            return Inconsistency{
                "spread wider than twice its mean",
                with_value(spread_key, format_latency(*spread)) + " to be at most twice " +
                    with_value(mean_key, format_latency(*mean)) + " at " + format_clock(ghz),
                {spread_key, mean_key}};
        }
        if (p.coherence.request_leg.to_ns(ghz) >= p.llc.latency.to_ns(ghz)) {
            return Inconsistency{
                "the way to the LLC takes as long as the whole access",
                with_value("fabric.request_leg", format_latency(p.coherence.request_leg)) +
                    " to be below " +
                    with_value("cache.llc.latency", format_latency(p.llc.latency)) + " at " +
                    format_clock(ghz),
                {"fabric.request_leg", "cache.llc.latency"}};
        }
    }
    return std::nullopt;
}

Result check_tlbs(const Platform& p) {
    struct Named {
        const TlbConfig* tlb;
        const char* key;
    };
    for (const auto& [tlb, key] :
         {Named{&p.tlb.dtlb_4k, "tlb.dtlb_4k"}, Named{&p.tlb.dtlb_2m, "tlb.dtlb_2m"},
          Named{&p.tlb.dtlb_1g, "tlb.dtlb_1g"}, Named{&p.tlb.itlb_4k, "tlb.itlb_4k"},
          Named{&p.tlb.itlb_2m, "tlb.itlb_2m"}, Named{&p.tlb.stlb, "tlb.stlb"}}) {
        if (tlb->entries % tlb->ways == 0) continue;
        return Inconsistency{
            "entries do not divide into sets",
            with_value(std::string(key) + ".entries", std::to_string(tlb->entries)) +
                " to be a multiple of ways (" + std::to_string(tlb->ways) + ")",
            {std::string(key) + ".entries", std::string(key) + ".ways"}};
    }
    return std::nullopt;
}

Result check_core(const Platform& p) {
    const auto& turbo = p.clock.turbo_ghz;
    if (!std::is_sorted(turbo.rbegin(), turbo.rend())) {
        return Inconsistency{"clock rises with the number of active cores",
                             "clocks for 1, 2, ... active cores, none above the one before it",
                             {"clock.turbo"}};
    }
    const double least = 1.0 / p.core.width;
    struct Named {
        double cpi;
        const char* key;
    };
    for (const auto& [cpi, key] :
         {Named{p.core.cpi_kernel, "core.cpi_kernel"}, Named{p.core.cpi_user, "core.cpi_user"}}) {
        if (cpi >= least) continue;
        return Inconsistency{"fewer cycles per instruction than the issue width allows",
                             with_value(key, format_number(cpi)) +
                                 " to be at least 1 / core.width (" + format_number(least) + ")",
                             {key, "core.width"}};
    }
    return std::nullopt;
}

Result check_memory_and_idle(const Platform& p) {
    constexpr std::uint64_t kPage = 4096;
    if (p.memory.size_per_node % kPage != 0) {
        return Inconsistency{"size is no whole number of pages",
                             "a multiple of " + format_size(kPage),
                             {"memory.size_per_node"}};
    }
    const double ghz = p.clock.turbo_ghz.front();
    for (std::size_t i = 1; i < p.idle_states.size(); ++i) {
        const auto& lighter = p.idle_states[i - 1];
        const auto& deeper = p.idle_states[i];
        if (deeper.residency.to_ns(ghz) < lighter.residency.to_ns(ghz) ||
            deeper.exit.to_ns(ghz) < lighter.exit.to_ns(ghz)) {
            return Inconsistency{
                "idle state lighter than the one before it",
                "states from light to deep, exit and residency rising",
                {"idle_state." + deeper.name + ".residency", "idle_state." + deeper.name + ".exit",
                 "idle_state." + lighter.name + ".residency",
                 "idle_state." + lighter.name + ".exit"}};
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Inconsistency> find_inconsistency(const Platform& platform) {
    for (const auto check :
         {check_caches, check_core, check_latencies, check_tlbs, check_memory_and_idle}) {
        if (auto result = check(platform)) return result;
    }
    return std::nullopt;
}

}  // namespace linefill::model

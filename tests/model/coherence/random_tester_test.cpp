// SPDX-License-Identifier: Apache-2.0
// The random coherence tester: ten million operations find nothing, and each of four transitions that
// are broken on purpose is found.
#include "tests/model/coherence/random_tester.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/coherence/llc.h"

namespace linefill::model {
namespace {

using testing::HasSubstr;

#if LINEFILL_ASAN
constexpr std::uint64_t kShare = 25;  // sanitizers are slow: a part of the operations
#else
constexpr std::uint64_t kShare = 1;
#endif

/// Nothing found, and what had to happen did happen often enough for that to mean something.
void expect_clean(const TesterReport& r, std::uint64_t operations) {
    EXPECT_EQ(r.stale_reads, 0U) << r.text();
    EXPECT_EQ(r.broken_invariants, 0U) << r.text();
    EXPECT_EQ(r.identities, "");
    EXPECT_EQ(r.counted, r.locked_increments);
    EXPECT_GE(r.operations, operations - 32);
    EXPECT_GT(r.checked_reads, operations / 4);
    EXPECT_GT(r.sweeps, 3U);
    const auto least = static_cast<std::int64_t>(operations / 200);
    EXPECT_GT(r.total[Event::kHitmLocal], least);
    EXPECT_GT(r.total[Event::kHitmRemote], least);
    EXPECT_GT(r.total[Event::kL1dUpgrade], least);
    EXPECT_GT(r.total[Event::kL1dSnoopInvalidate], least);
    EXPECT_GT(r.total[Event::kInflightConflict], least);
    EXPECT_GT(r.total[Event::kL1dMerge], least);
}

TesterReport clean_run(const std::vector<std::string>& overrides, std::uint64_t operations,
                       TesterOptions options) {
    options.operations = operations / kShare;
    options.sweep_every = options.operations / 8;
    TesterReport r = run_tester(test_platform(overrides), options);
    expect_clean(r, options.operations);
    return r;
}

// ---- ten million operations ------------------------------------------------------------------

TEST(RandomCoherenceTest, FindsNothingWithTheMachinesCaches) {
    TesterOptions options;
    options.seed = 11;
    clean_run({}, 2000000, options);
}

TEST(RandomCoherenceTest, FindsNothingWithTheFastPathsOn) {
    TesterOptions options;
    options.seed = 12;
    options.observe = false;
    clean_run({}, 3000000, options);
}

TEST(RandomCoherenceTest, FindsNothingWithSmallCaches) {
    TesterOptions options;
    options.seed = 13;
    options.cold_lines = 8192;
    const TesterReport r = clean_run(small_caches(), 2500000, options);
    const auto least = 2500000 / kShare / 50;
    EXPECT_GT(r.back_invalidations, least);
    EXPECT_GT(r.total[Event::kL1dEvict], static_cast<std::int64_t>(least));
    EXPECT_GT(r.total[Event::kDramLocal] + r.total[Event::kDramRemote],
              static_cast<std::int64_t>(least));
}

TEST(RandomCoherenceTest, FindsNothingWithSmallCachesAndTheFastPathsOn) {
    TesterOptions options;
    options.seed = 14;
    options.cold_lines = 4096;
    options.observe = false;
    const TesterReport r = clean_run(small_caches(), 2000000, options);
    EXPECT_GT(r.back_invalidations, 2000000 / kShare / 50);
}

TEST(RandomCoherenceTest, FindsNothingWhenEveryAccessSynchronises) {
    TesterOptions options;
    options.seed = 15;
    options.quantum = 0;
    clean_run(small_caches(), 500000, options);
}

TEST(RandomCoherenceTest, FindsNothingWithMechanismsSwitchedOff) {
    TesterOptions options;
    options.seed = 16;
    options.operations = 200000 / kShare;
    std::vector<std::string> overrides = small_caches();
    for (const char* off : {"inflight_hold", "inorder_drain", "finite_window", "numa_distance",
                            "prefetch_shared_only"}) {
        overrides.push_back("ablation." + std::string(off) + "=false");
    }
    const TesterReport r = run_tester(test_platform(overrides), options);
    EXPECT_EQ(r.stale_reads + r.broken_invariants, 0U) << r.text();
    EXPECT_EQ(r.identities, "");
    EXPECT_EQ(r.counted, r.locked_increments);
    EXPECT_EQ(r.total[Event::kInflightConflict], 0);
}

TEST(RandomCoherenceTest, TheSameSeedGivesTheSameRunAndAnotherSeedAnotherOne) {
    const auto run = [](std::uint64_t seed) {
        return in_child([seed] {
            TesterOptions options;
            options.seed = seed;
            options.operations = 40000;
            const TesterReport r = run_tester(test_platform(small_caches()), options);
            std::vector<double> numbers;
            for (const std::int64_t n : r.total.event) numbers.push_back(static_cast<double>(n));
            for (const std::int64_t n : r.total.cpi_fs) numbers.push_back(static_cast<double>(n));
            return numbers;
        });
    };
    const auto first = run(5);
    EXPECT_EQ(first, run(5));
    EXPECT_NE(first, run(6));
}

// ---- transitions broken on purpose -----------------------------------------------------------

/// Makes LLCs of class `Broken`.
template <class Broken>
struct BrokenFactory final : LlcFactory {
    std::unique_ptr<Llc> make(unsigned socket, unsigned cores, const CacheConfig& config,
                              std::uint64_t seed, Addr node_bytes) override {
        return std::make_unique<Broken>(socket, cores, config, seed, node_bytes);
    }
};

/// A write leaves one of several sharers with its copy.
class ForgetsASharer final : public Llc {
public:
    using Llc::Llc;

protected:
    SnoopTransaction invalidate_cores(LlcLine& e, Addr line, std::uint64_t mask, Tick at,
                                      unsigned by, FieldId field, bool back) override {
        const bool several = (mask & (mask - 1)) != 0;
        return Llc::invalidate_cores(e, line, several && e.owner < 0 ? mask & (mask - 1) : mask, at,
                                     by, field, back);
    }
};

/// A socket that has given a copy to the other one still takes its own for the only one.
class StaysExclusive final : public Llc {
public:
    using Llc::Llc;

protected:
    SocketState state_after_peer_read(SocketState) override { return SocketState::kExclusive; }
};

/// What the owner wrote is lost when it makes its copy a shared one.
class DropsDirtyData final : public Llc {
public:
    using Llc::Llc;

protected:
    SnoopTransaction downgrade_owner(LlcLine& e, Addr line, Tick at, unsigned by,
                                     FieldId field) override {
        const std::uint32_t before = e.token;
        SnoopTransaction s = Llc::downgrade_owner(e, line, at, by, field);
        e.token = before;
        return s;
    }
};

/// A write does not ask the other socket.
class SkipsThePeer final : public Llc {
public:
    using Llc::Llc;

protected:
    PeerTransaction snoop_peers(Addr line, bool ownership, Tick at, bool from_home, unsigned home,
                                unsigned by, FieldId field, Tick& data_here) override {
        if (!ownership) {
            return Llc::snoop_peers(line, ownership, at, from_home, home, by, field, data_here);
        }
        PeerTransaction none;
        none.line = line;
        none.answer_at = at;
        return none;
    }
};

template <class Broken>
void expect_found() {
    BrokenFactory<Broken> factory;
    TesterOptions options;
    options.seed = 21;
    options.operations = 40000;
    options.sweep_every = 10000;
    const TesterReport r = run_tester(test_platform(), options, &factory);
    EXPECT_GT(r.stale_reads, 0U);
    EXPECT_GT(r.broken_invariants, 0U);
    ASSERT_FALSE(r.messages.empty());
    EXPECT_THAT(r.messages.front(), HasSubstr("address 0x"));
    EXPECT_THAT(r.messages.front(), HasSubstr(" ns (seed 21)"));
    EXPECT_THAT(r.messages.front(), HasSubstr("expected "));
    EXPECT_THAT(r.messages.front(), HasSubstr("found "));
}

TEST(BrokenTransitionTest, AForgottenSharerIsFound) { expect_found<ForgetsASharer>(); }

TEST(BrokenTransitionTest, ASocketThatStaysExclusiveIsFound) { expect_found<StaysExclusive>(); }

TEST(BrokenTransitionTest, DroppedDirtyDataIsFound) { expect_found<DropsDirtyData>(); }

TEST(BrokenTransitionTest, APeerThatIsNotAskedIsFound) { expect_found<SkipsThePeer>(); }

}  // namespace
}  // namespace linefill::model

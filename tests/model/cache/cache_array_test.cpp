// SPDX-License-Identifier: Apache-2.0
// The set-associative array: places, fills, victims, odd numbers of sets, slices; and miss counts of
// an LRU cache against a simulator that was written for this test and shares no code with it.
#include "model/cache/cache_array.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "model/sim/random.h"

namespace linefill::model {
namespace {

struct Empty {};
using Array = CacheArray<Empty>;

CacheConfig config(std::uint64_t size, unsigned ways, const std::string& policy,
                   unsigned slices = 1) {
    CacheConfig c;
    c.size = size;
    c.ways = ways;
    c.policy = policy;
    c.slices = slices;
    return c;
}

/// A lookup with a fill on a miss. True: it hit.
bool access(Array& a, Addr line) {
    const std::size_t slot = a.find(line);
    if (slot != Array::kMiss) {
        a.touch(slot);
        return true;
    }
    const std::size_t into = a.slot_for(line);
    if (a.valid(into)) a.invalidate(into);
    a.fill(into, line, {});
    return false;
}

TEST(CacheArrayTest, FillsInvalidWaysBeforeItTakesAVictim) {
    Array a(config(4 * 64, 4, "lru"), 1);
    for (Addr line = 0; line < 4; ++line) EXPECT_FALSE(access(a, line));
    EXPECT_EQ(a.resident(), 4U);
    a.invalidate(a.find(2));
    EXPECT_EQ(a.resident(), 3U);
    EXPECT_FALSE(access(a, 9));
    EXPECT_EQ(a.resident(), 4U);
    for (const Addr line : {0U, 1U, 3U, 9U}) EXPECT_NE(a.find(line), Array::kMiss) << line;
}

TEST(CacheArrayTest, ALineThatWasTakenIsNotFoundAgain) {
    Array a(config(32 * 1024, 8, "tree-plru"), 1);
    access(a, 77);
    EXPECT_NE(a.find(77), Array::kMiss);
    a.invalidate(a.find(77));
    EXPECT_EQ(a.find(77), Array::kMiss);
    EXPECT_EQ(a.find(77 + 64), Array::kMiss);
}

TEST(CacheArrayTest, LinesOneCacheApartCompeteForASet) {
    Array a(config(32 * 1024, 8, "tree-plru"), 1);  // 64 sets
    for (Addr i = 0; i < 8; ++i) access(a, 5 + i * 64);
    for (Addr i = 0; i < 8; ++i) EXPECT_TRUE(access(a, 5 + i * 64));
    EXPECT_FALSE(access(a, 5 + 8 * 64));
    EXPECT_EQ(a.resident(), 8U);
    EXPECT_FALSE(access(a, 6));  // the next set is empty still
    EXPECT_EQ(a.resident(), 9U);
}

TEST(CacheArrayTest, TakesAnyNumberOfSetsAndWays) {
    // 30 MB in 20 ways: 24,576 sets, no power of two.
    Array a(config(std::uint64_t{30} << 20, 20, "lru"), 1);
    constexpr Addr kLines = (std::uint64_t{30} << 20) / 64;
    for (Addr line = 0; line < kLines; ++line) ASSERT_FALSE(access(a, line));
    EXPECT_EQ(a.resident(), kLines);
    for (Addr line = 0; line < kLines; ++line) ASSERT_TRUE(access(a, line)) << line;
}

TEST(CacheArrayTest, SlicesShareTheLinesEvenly) {
    Array a(config(std::uint64_t{20} << 20, 20, "mru-n", 8), 1);
    std::vector<unsigned> of_slice(8, 0);
    constexpr unsigned kLines = 80000;
    for (Addr line = 0; line < kLines; ++line) ++of_slice[a.slice_of(line + 123456)];
    for (const unsigned n : of_slice) EXPECT_NEAR(n, 0.125 * kLines, 0.0125 * kLines);
    // 4 KiB apart, as per-CPU areas and stacks are: still all slices.
    std::fill(of_slice.begin(), of_slice.end(), 0);
    for (Addr page = 0; page < 8000; ++page) ++of_slice[a.slice_of(page * 64)];
    for (const unsigned n : of_slice) EXPECT_NEAR(n, 1000, 250);
}

// ---- an LRU cache, checked in full -----------------------------------------------------------

/// Per set the lines in order of use. Nothing clever.
class SlowLru {
public:
    SlowLru(std::size_t sets, std::size_t ways) : sets_(sets), ways_(ways) {}
    bool access(Addr line) {
        std::deque<Addr>& set = content_[line % sets_];
        const auto found = std::find(set.begin(), set.end(), line);
        const bool hit = found != set.end();
        if (hit) set.erase(found);
        set.push_front(line);
        if (set.size() > ways_) set.pop_back();
        return hit;
    }
    std::set<Addr> lines() const {
        std::set<Addr> all;
        for (const auto& [index, set] : content_) all.insert(set.begin(), set.end());
        return all;
    }

private:
    std::size_t sets_, ways_;
    std::map<std::size_t, std::deque<Addr>> content_;
};

struct Shape {
    std::uint64_t size;
    unsigned ways;
};
class LruArrayTest : public testing::TestWithParam<Shape> {};

TEST_P(LruArrayTest, HitsAndMissesLikeTheSlowSimulatorAccessByAccess) {
    const Shape shape = GetParam();
    Array a(config(shape.size, shape.ways, "lru"), 1);
    const std::size_t sets = shape.size / 64 / shape.ways;
    SlowLru slow(sets, shape.ways);
    Random random(17, "trace");
    const Addr lines = 3 * shape.size / 64;
    Addr near = 0;
    unsigned misses = 0;
    for (int i = 0; i < 60000; ++i) {
        near = random.below(4) == 0 ? random.below(lines) : (near + random.below(3)) % lines;
        const bool hit = access(a, near);
        ASSERT_EQ(hit, slow.access(near)) << "access " << i << " of line " << near;
        if (!hit) ++misses;
    }
    EXPECT_GT(misses, 1000U);
    std::set<Addr> resident;
    for (std::size_t s = 0; s < a.slots(); ++s) {
        if (a.valid(s)) resident.insert(a.line_at(s));
    }
    EXPECT_EQ(resident, slow.lines());
}

INSTANTIATE_TEST_SUITE_P(Shapes, LruArrayTest,
                         testing::Values(Shape{32 * 1024, 8}, Shape{1024, 16}, Shape{64 * 12, 12},
                                         Shape{64 * 5 * 7, 5}, Shape{8192, 1}));

}  // namespace
}  // namespace linefill::model

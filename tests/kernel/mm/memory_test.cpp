// SPDX-License-Identifier: Apache-2.0
// Addresses that the modelled allocators hand out.
#include "kernel/mm/memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "model/sim/error.h"
#include "tests/kernel/kernel_bench.h"

namespace linefill::kernel {
namespace {

using model::Addr;

constexpr Addr kMiB = Addr{1} << 20;

std::vector<PageFrames::Node> two_nodes() {
    return {{0, 1024 * kMiB, 64 * kMiB}, {1024 * kMiB, 1024 * kMiB, 4 * kMiB}};
}

TEST(PageFrames, BlocksAreAlignedDistinctAndOnTheirNode) {
    PageFrames frames(two_nodes(), 5, true);
    std::set<Addr> pages;
    for (int i = 0; i < 500; ++i) {
        const unsigned node = static_cast<unsigned>(i) % 2;
        const unsigned order = static_cast<unsigned>(i) % 5;
        const Addr at = frames.alloc(node, order);
        EXPECT_EQ(at % (kPageSize << order), 0U);
        EXPECT_EQ(frames.node_of(at), node);
        EXPECT_GE(at, node == 0 ? 64 * kMiB : 1028 * kMiB);
        for (Addr p = at; p < at + (kPageSize << order); p += kPageSize) {
            EXPECT_TRUE(pages.insert(p).second) << "handed out twice";
        }
    }
}

TEST(PageFrames, SeedDecidesAndTheDrawCanBeOff) {
    PageFrames a(two_nodes(), 1, true);
    PageFrames b(two_nodes(), 1, true);
    PageFrames c(two_nodes(), 2, true);
    PageFrames d(two_nodes(), 1, false);
    PageFrames e(two_nodes(), 2, false);
    const Addr first = a.alloc(0, 2);
    EXPECT_EQ(first, b.alloc(0, 2));
    EXPECT_NE(first, c.alloc(0, 2));
    const Addr low = d.alloc(0, 2);
    EXPECT_EQ(low, e.alloc(0, 2));
    EXPECT_EQ(d.alloc(0, 2), low + 4 * kPageSize);
}

TEST(PageFrames, RequestsInARowLieTogetherUntilTheirBlockIsUsedUp) {
    PageFrames frames(two_nodes(), 7, true);
    const Addr first = frames.alloc(0, 2);
    EXPECT_EQ(first % (kPageSize << PageFrames::kMaxOrder), 0U);
    for (Addr i = 1; i < 256; ++i) EXPECT_EQ(frames.alloc(0, 2), first + i * 4 * kPageSize);
    const Addr next = frames.alloc(0, 2);
    EXPECT_NE(next >> 22, first >> 22);
}

TEST(PageFrames, FreedBuddiesJoin) {
    PageFrames frames({{0, 16 * kPageSize, 0}}, 1, true);
    std::vector<Addr> pages;
    for (int i = 0; i < 16; ++i) pages.push_back(frames.alloc(0, 0));
    EXPECT_THROW(frames.alloc(0, 0), model::SimulationError);
    for (const Addr page : pages) frames.free(page, 0);
    EXPECT_EQ(frames.alloc(0, 4), 0U) << "sixteen single pages are one block of sixteen again";
}

TEST(PageFrames, BootTakesTheTopOfANodeAndEndsWithTheFirstRequest) {
    PageFrames frames(two_nodes(), 1, true);
    const Addr at = frames.alloc_boot(1, 2 * kMiB, 2 * kMiB);
    EXPECT_EQ(at, 2046 * kMiB);
    EXPECT_EQ(frames.alloc_boot(1, kPageSize, 2 * kMiB), 2044 * kMiB);
    EXPECT_TRUE(frames.is_allocated(at + 5));
    EXPECT_FALSE(frames.is_allocated(at - 5));
    for (int i = 0; i < 500; ++i) EXPECT_LT(frames.alloc(1, 4), 2044 * kMiB);
    EXPECT_THROW(frames.alloc_boot(1, kPageSize, kPageSize), model::InternalError);
}

TEST(PageFrames, PagesOfLongAgoShareTheirBlockWithNobody) {
    PageFrames frames(two_nodes(), 9, true);
    std::set<Addr> blocks;
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(blocks.insert(frames.alloc_long_ago(0, 3) >> 22).second);
    }
    for (int i = 0; i < 1024; ++i) EXPECT_EQ(blocks.count(frames.alloc(0, 0) >> 22), 0U);
}

TEST(PageFrames, FreedPagesComeBackAndAFullNodeIsAnError) {
    PageFrames frames({{0, 8 * kPageSize, 0}}, 1, true);
    const Addr a = frames.alloc(0, 2);
    frames.alloc(0, 2);
    EXPECT_THROW(frames.alloc(0, 0), model::SimulationError);
    frames.free(a, 2);
    EXPECT_EQ(frames.alloc(0, 2), a);
    EXPECT_THROW(frames.free(a, 1), model::InternalError);
}

TEST(Slub, OrdersAreThoseThatTheKernelComputes) {
    // On 32 CPUs SLUB wants 28 objects per slab, as far as 32 KiB hold them.
    EXPECT_EQ(slub_order(6784, 32), 3U);  // task_struct of v4.7 as compiled: four
    EXPECT_EQ(slub_order(3520, 32), 3U);  // with the 832 bytes that AVX needs for registers: nine
    EXPECT_EQ(slub_order(1088, 32), 3U);  // signal_struct
    EXPECT_EQ(slub_order(64, 32), 0U);
    EXPECT_EQ(slub_order(256, 32), 1U);
    EXPECT_EQ(slub_order(4096, 32), 3U);
}

TEST(Slub, FourTaskStructsPer32KiBSlabInAddressOrder) {
    PageFrames frames(two_nodes(), 3, true);
    SlabCache cache("task_struct", 6784, 64, 32, frames, 3);
    EXPECT_EQ(cache.objects_per_slab(), 4U);
    for (int slab = 0; slab < 10; ++slab) {
        const Addr first = cache.alloc(1);
        EXPECT_EQ(first % (8 * kPageSize), 0U) << "no colouring: the first object begins the slab";
        for (Addr i = 1; i < 4; ++i) EXPECT_EQ(cache.alloc(1), first + i * 6784);
        EXPECT_EQ(frames.node_of(first), 1U);
    }
}

TEST(Slub, AnAgedCacheHandsOutWhatPartialSlabsHaveFreeAndThenFreshSlabs) {
    EXPECT_EQ(slub_min_partial(3520), 5U);
    EXPECT_EQ(slub_min_partial(32768), 7U);
    PageFrames frames(two_nodes(), 4, true);
    SlabCache cache("task_struct", 3520, 64, 32, frames, 4);
    const Addr before = cache.alloc(0);
    cache.age();
    std::map<Addr, unsigned> taken;  // objects of each slab
    std::set<Addr> objects;
    for (int i = 0; i < 200; ++i) {
        const Addr at = cache.alloc(0);
        EXPECT_NE(cache.slab_of(at), cache.slab_of(before)) << "others have the rest of it";
        EXPECT_TRUE(objects.insert(at).second);
        ++taken[cache.slab_of(at)];
    }
    // Five partial slabs, none with all its nine objects free; all others full but the last one.
    unsigned partial = 0;
    for (const auto& [slab, n] : taken) partial += n < 9 ? 1 : 0;
    EXPECT_GE(partial, 5U);
    EXPECT_LE(partial, 6U);
}

TEST(Slub, AFreedObjectIsTheNextHandedOut) {
    PageFrames frames(two_nodes(), 5, true);
    SlabCache cache("sighand_cache", 2112, 64, 32, frames, 5);
    const Addr a = cache.alloc(0);
    (void)cache.alloc(0);
    cache.free(a);
    EXPECT_EQ(cache.alloc(0), a);
}

TEST(Percpu, UnitsLieAtPageMultiplesOnTheCpusNode) {
    const KernelBench bench;
    Kernel& k = kernel();
    for (unsigned cpu = 0; cpu < k.cpus(); ++cpu) {
        const Addr rq = k.rq(cpu).lock.addr();
        EXPECT_EQ(rq % 64, 0U);
        EXPECT_EQ((rq - k.rq(0).lock.addr()) % kPageSize, 0U)
            << "the same line of all run queues falls into one L1 set";
        EXPECT_EQ(k.machine().node_of_addr(rq), k.machine().node_of(cpu));
        EXPECT_EQ(k.memory().per_cpu_base(cpu), k.per_cpu_offset(cpu).peek());
    }
    EXPECT_EQ(k.rq(1).lock.addr() - k.rq(0).lock.addr(), PercpuUnits::kUnitSize);
}

TEST(TaskMemory, RegisterStateTakesWhatTheCpuNeedsNotThePageSetAsideForIt) {
    KernelBench bench;
    bench.run([] {
        std::set<Addr> distances;
        Addr last = 0;
        for (int i = 0; i < 100; ++i) {
            const Addr at = start_thread([] {}).place.base;
            if (at > last) distances.insert(at - last);
            last = at;
        }
        EXPECT_EQ(distances.count(3520), 1U) << "6784 as compiled, less 4096, and 832 with AVX";
    });
}

TEST(Percpu, StaggeredUnitsSpreadOverTheSets) {
    BenchOptions options;
    options.kernel.page_aligned_percpu = false;
    const KernelBench bench(options);
    std::set<Addr> sets;
    for (unsigned cpu = 0; cpu < 8; ++cpu) sets.insert(kernel().rq(cpu).lock.addr() / 64 % 64);
    EXPECT_EQ(sets.size(), 8U);
}

TEST(TaskMemory, StacksAreAlignedWithThreadInfoAtTheBaseAndRegistersAtTheTop) {
    KernelBench bench;
    bench.run([] {
        std::set<Addr> stacks;
        for (int i = 0; i < 20; ++i) {
            const TaskStruct& t = start_thread([] {});
            const Addr base = t.thread_info.task.addr();
            EXPECT_EQ(base % kThreadSize, 0U);
            EXPECT_TRUE(stacks.insert(base).second || i > 0);
            EXPECT_EQ(t.thread_info.flags.addr() / 64, base / 64);
            EXPECT_EQ(t.thread_info.cpu.addr() / 64, base / 64);
            EXPECT_EQ(t.sp0.peek(), base + kThreadSize);
            EXPECT_EQ(t.pt_regs_cs.addr(), base + kThreadSize - 32);
            EXPECT_EQ(t.place.base % 64, 0U);
        }
    });
}

TEST(TaskMemory, ThreadsLieOnTheNodeOfWhoeverCreatedThem) {
    KernelBench bench;
    bench.run([] {
        set_cpus_allowed(current(), u64{1} << 9);
        const unsigned node = kernel().machine().node_of(9);
        for (int i = 0; i < 6; ++i) {
            const TaskStruct& t = start_thread([] {});
            EXPECT_EQ(kernel().machine().node_of_addr(t.place.base), node);
            EXPECT_EQ(kernel().machine().node_of_addr(t.thread_info.task.addr()), node);
        }
    });
}

TEST(TaskMemory, KmallocUsesTheNextSizeUp) {
    const KernelBench bench;
    Memory& m = kernel().memory();
    const Addr a = m.kmalloc(300, 0);
    const Addr b = m.kmalloc(512, 0);
    EXPECT_EQ(m.cache("kmalloc-512").object_size(), 512U);
    EXPECT_NE(a, b);
    m.kmalloc(90, 0);
    EXPECT_EQ(m.cache("kmalloc-96").object_size(), 96U);
}

}  // namespace
}  // namespace linefill::kernel

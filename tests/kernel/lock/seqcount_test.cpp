// SPDX-License-Identifier: Apache-2.0
// Readers of a sequence counter retry exactly when a writer was there.
#include "kernel/lock/seqcount.h"

#include <gtest/gtest.h>

#include "tests/kernel/lock/lock_bench.h"

namespace linefill::kernel {
namespace {

struct Pair {
    explicit Pair(LockBench& bench)
        : seq(bench.line(), LockBench::field("seq")),
          a(bench.line(), 8, LockBench::field("a")),
          b(bench.line(), 8, LockBench::field("b")) {}
    Seqlock seq;
    Field<u64> a, b;
};

TEST(SeqcountTest, ReadersRetryUnderAWriterAndSeePairsThatBelongTogether) {
    LockBench bench(LockKind::kQueued);
    Pair pair(bench);
    unsigned retries = 0, torn = 0, reads = 0;
    bool done = false;
    bench.on(8, 0, [&](model::HwThread& hw) {
        for (u64 i = 1; i <= 100; ++i) {
            pair.seq.write_lock();
            pair.a = i;
            hw.execute(300);
            pair.b = i;
            pair.seq.write_unlock();
            hw.execute(1500);
        }
        done = true;
    });
    bench.on(0, 0, [&](model::HwThread& hw) {
        while (!done) {
            u64 x = 0, y = 0;
            u32 start = pair.seq.count.read_begin();
            for (;;) {
                x = pair.a;
                hw.execute(200);
                y = pair.b;
                if (!pair.seq.count.read_retry(start)) break;
                ++retries;
                start = pair.seq.count.read_begin();
            }
            EXPECT_EQ(start % 2, 0U);
            ++reads;
            if (x != y) ++torn;
            hw.execute(20);
        }
    });
    bench.run();
    EXPECT_EQ(torn, 0U);
    EXPECT_GT(retries, 5U);
    EXPECT_GT(reads, 5U);
    EXPECT_EQ(pair.seq.count.peek(), 200U);
}

TEST(SeqcountTest, WithoutAWriterThereIsNoRetryAndNoMiss) {
    LockBench bench(LockKind::kQueued);
    Pair pair(bench);
    AccessCounter seen;
    bench.machine().set_observer(&seen);
    bench.on(0, 0, [&](model::HwThread& hw) {
        hw.use(hw.load(pair.seq.count.addr(), 4, LockBench::field("first")));
        for (int i = 0; i < 20; ++i) {
            const u32 start = pair.seq.count.read_begin();
            EXPECT_FALSE(pair.seq.count.read_retry(start));
        }
    });
    bench.run();
    EXPECT_EQ(seen.of(LockBench::field("seq")).loads, 40U);
    EXPECT_EQ(seen.of(LockBench::field("seq")).missed_loads, 0U);
}

}  // namespace
}  // namespace linefill::kernel

// SPDX-License-Identifier: Apache-2.0
// System call entry and exit: what they cost, touch, and do on the way out.
#include <set>

#include <gtest/gtest.h>

#include "tests/kernel/time/time_bench.h"

namespace linefill::kernel {
namespace {

/// Lines of pt_regs that are stored to.
class PtRegsLines final : public model::AccessObserver {
public:
    void on_access(const model::AccessRecord& r) override {
        if (r.kind != model::AccessKind::kStore) return;
        const FieldInfo& f = FieldRegistry::instance().info(r.field);
        if (f.structure != "pt_regs") return;
        lines.insert(model::line_of(r.addr));
        ++stores;
    }
    void on_bulk_hits(unsigned, model::FunctionId, FieldId, model::AccessKind, u64) override {}
    void on_time(unsigned, model::FunctionId, model::FunctionId, FieldId, unsigned,
                 model::Tick) override {}
    void on_snoop(Addr, unsigned, unsigned, bool, bool, FieldId) override {}
    std::set<Addr> lines;
    unsigned stores = 0;
};

TEST(SyscallTest, AnEmptyCallCostsWhatThePlatformSays) {
    TimeBench bench("v4.7-rc7");
    bench.run([&] {
        for (int i = 0; i < 3; ++i) {
            const SyscallScope warm;
        }
        model::HwThread& hw = model::this_hw_thread();
        const model::Tick before = hw.now();
        for (int i = 0; i < 10; ++i) {
            const SyscallScope scope;
        }
        const double cycles =
            static_cast<double>(hw.now() - before) / 10 / static_cast<double>(hw.period());
        EXPECT_NEAR(cycles, bench.machine().platform().core.syscall.cycles, 15);
    });
}

TEST(SyscallTest, EntrySavesFifteenRegistersInTwoLinesOfTheOwnStack) {
    TimeBench bench("v4.7-rc7");
    PtRegsLines seen;
    bench.run([&] {
        { const SyscallScope warm; }
        model::this_hw_thread().fence();  // what the first call stored has drained
        model::this_hw_thread().synchronise();
        bench.machine().set_observer(&seen);
        { const SyscallScope scope; }
        bench.machine().set_observer(nullptr);
        const Addr top = current().sp0.peek();
        EXPECT_TRUE(seen.lines.count(model::line_of(top - 8)) == 1);
    });
    EXPECT_EQ(seen.stores, 15U);
    EXPECT_EQ(seen.lines.size(), 2U);
}

TEST(SyscallTest, ModesFollowTheCall) {
    TimeBench bench("v4.7-rc7");
    bench.run([&] {
        EXPECT_FALSE(model::this_hw_thread().kernel_mode());
        {
            const SyscallScope scope;
            EXPECT_TRUE(model::this_hw_thread().kernel_mode());
            EXPECT_TRUE(model::this_hw_thread().interrupts_enabled());
        }
        EXPECT_FALSE(model::this_hw_thread().kernel_mode());
        EXPECT_TRUE(model::this_hw_thread().interrupts_enabled());
    });
}

TEST(SyscallTest, ATaskThatIsAskedToReschedulesOnTheWayOut) {
    TimeBench bench("v4.7-rc7");
    bool other_ran = false, ran_before_return = false;
    bench.run([&] {
        TimeBench::pin(2);
        TimeBench::thread([&] { other_ran = true; }, 2);
        // It was woken on another CPU and is on its way, or waits here.
        TimeBench::burn(0.5 * kMs);
        if (!other_ran) {
            current().thread_info.flags.host() |= kTifNeedResched;
            { const SyscallScope scope; }
        }
        ran_before_return =
            other_ran || (current().thread_info.flags.peek() & kTifNeedResched) == 0;
    });
    EXPECT_TRUE(ran_before_return);
    EXPECT_TRUE(other_ran);
}

TEST(SyscallTest, CloneRunsTheThreadInTheSameProcess) {
    TimeBench bench("v4.7-rc7");
    int mine = 0, other = 0, id = 0;
    bench.run([&] {
        mine = current().tgid.peek();
        id = sys_clone(
            [&] {
                other = current().tgid.peek();
                EXPECT_NE(current().host_pid, mine);
                sys_exit();
            },
            "thread");
    });
    EXPECT_EQ(other, mine);
    EXPECT_GT(id, mine);
}

}  // namespace
}  // namespace linefill::kernel

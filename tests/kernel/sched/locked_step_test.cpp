// SPDX-License-Identifier: Apache-2.0
// One uncontended visit of a running thread by the process clock: what it executes, in which order,
// and which of the other CPU's lines it dirties (kernel-paths a.1, a.2).
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/mm/memory.h"
#include "kernel/mm/percpu.h"
#include "kernel/sched/fair.h"
#include "kernel/syscall/syscall.h"
#include "kernel/time/cputime.h"
#include "tests/kernel/kernel_bench.h"

namespace linefill::kernel {
namespace {

using model::AccessKind;
using model::AccessRecord;
using model::Event;

class Log final : public model::AccessObserver {
public:
    void on_access(const AccessRecord& r) override {
        if (on && r.cpu == cpu) records.push_back(r);
    }
    void on_bulk_hits(unsigned, model::FunctionId, FieldId, AccessKind, u64) override {}
    void on_time(unsigned, model::FunctionId, model::FunctionId, FieldId, unsigned,
                 model::Tick) override {}
    void on_snoop(Addr, unsigned, unsigned, bool, bool, FieldId) override {}

    bool on = false;
    unsigned cpu = 0;
    std::vector<AccessRecord> records;
};

std::string field_name(FieldId id) {
    const FieldInfo& f = FieldRegistry::instance().info(id);
    return f.structure + "." + f.field;
}

struct Visit {
    std::int64_t instructions = 0;  ///< that a second, running thread adds to one reading
    std::vector<std::string>
        order;  ///< fields of task_sched_runtime in order; * marks stores, ! LOCK
    std::set<std::string> dirtied;  ///< lines of the other CPU, by their first written field
    std::int64_t locked = 0;
};

/// A process of two threads on two sockets; the second computes in user mode.
Visit visit(const std::string& spec) {
    BenchOptions options;
    options.spec = spec;
    options.functional = false;
    options.kernel.draws = {
        .page_frames = false, .freelists = false, .tick_phase = false, .init_cpu = false};
    KernelBench bench(options);
    Log log;
    bench.machine().set_observer(&log);
    Visit v;
    bench.run_for(
        [&] {
            const auto read_clock = [&] {
                const SyscallScope scope;
                model::HwThread& hw = model::this_hw_thread();
                hw.execute(500);
                const std::int64_t before = hw.counters()[Event::kInstructions];
                const std::int64_t locked = hw.counters()[Event::kLockedOps];
                TaskCputime sum;
                log.cpu = hw.cpu();
                log.records.clear();
                log.on = true;
                thread_group_cputime(&current(), &sum);
                log.on = false;
                v.locked = hw.counters()[Event::kLockedOps] - locked;
                return hw.counters()[Event::kInstructions] - before;
            };
            for (int i = 0; i < 3; ++i) v.instructions = -read_clock();
            const std::int64_t own_locked = v.locked;
            TaskStruct& t = start_thread([] {
                for (;;) model::this_hw_thread().execute(200);
            });
            model::this_hw_thread().execute(100'000);
            const unsigned cpu = host_task_cpu(t);
            ASSERT_NE(kernel().machine().socket_of(cpu),
                      kernel().machine().socket_of(smp_processor_id()));
            std::int64_t with_two = 0;
            for (int i = 0; i < 3; ++i) {
                model::this_hw_thread().execute(2000);
                with_two = read_clock();
            }
            v.instructions += with_two;
            v.locked -= own_locked;
            const auto lies_in = [](Addr a, Addr base, Addr bytes) {
                return a >= base && a < base + bytes;
            };
            const Layout& layout = kernel().layout();
            std::set<Addr> lines;
            for (const AccessRecord& r : log.records) {
                const bool is_remote =
                    lies_in(r.addr, t.place.base, layout.size_of("task_struct")) ||
                    lies_in(r.addr, t.thread_info.task.addr(), kThreadSize) ||
                    lies_in(r.addr, kernel().memory().per_cpu_base(cpu), PercpuUnits::kUnitSize);
                if (!is_remote) continue;
                const bool writes = r.kind == AccessKind::kStore || r.kind == AccessKind::kRmw;
                std::string name = field_name(r.field);
                if (writes && lines.insert(model::line_of(r.addr)).second) v.dirtied.insert(name);
                if (r.kind == AccessKind::kStore) name += "*";
                if (r.kind == AccessKind::kRmw) name += "!";
                if (r.kind == AccessKind::kPrefetch) name += "?";
                v.order.push_back(name);
            }
            kernel().machine().scheduler().stop();
        },
        model::kSecond);
    std::string printed;
    for (const std::string& d : v.dirtied) printed += " " + d;
    std::printf("%s: %zu remote lines dirtied:%s\n", spec.c_str(), v.dirtied.size(),
                printed.c_str());
    return v;
}

using Lines = std::set<std::string>;

TEST(LockedStep, TakesTwoHundredTenToTwoHundredTwentyInstructions) {
    const Visit v = visit("v4.7-rc7");
    // With the 18 of the loop that walks the threads.
    EXPECT_GE(v.instructions, 210);
    EXPECT_LE(v.instructions, 220);
    EXPECT_EQ(v.locked, 2) << "pi_lock and the run queue's lock";
}

TEST(LockedStep, V47DirtiesFiveRemoteLines) {
    EXPECT_EQ(visit("v4.7-rc7").dirtied,
              (Lines{"task_struct.pi_lock", "rq.lock", "rq.clock", "task_struct.se.exec_start",
                     "rq.cfs.min_vruntime"}));
}

TEST(LockedStep, TheParentOfTheFixDirtiesThree) {
    EXPECT_EQ(visit("v3.18-rc5").dirtied, (Lines{"task_struct.pi_lock", "rq.lock", "rq.clock"}));
}

TEST(LockedStep, TheFixDirtiesSeven) {
    const Visit v = visit("v3.18-rc5+update-curr-on-clock-read");
    EXPECT_EQ(v.dirtied, (Lines{"task_struct.pi_lock", "rq.lock", "rq.clock",
                                "task_struct.se.exec_start", "task_struct.se.statistics.exec_max",
                                "rq.cfs.exec_clock", "per_cpu.root_cpuacct_cpuusage"}));
}

TEST(LockedStep, NoPendingRuntimeDirtiesNone) {
    const Visit v = visit("v4.7-rc7+no-pending-runtime");
    EXPECT_EQ(v.dirtied, Lines{});
    EXPECT_EQ(v.locked, 0);
    EXPECT_EQ(v.order, (std::vector<std::string>{"task_struct.utime", "task_struct.stime",
                                                 "task_struct.se.sum_exec_runtime",
                                                 "task_struct.thread_node"}));
}

TEST(LockedStep, AccessesComeInTheKernelsOrder) {
    const Visit v = visit("v4.7-rc7");
    // The second thread's part, from its first field on.
    const std::vector<std::string> expected = {"task_struct.utime",
                                               "task_struct.stime",
                                               "task_struct.on_cpu",
                                               "task_struct.on_rq",
                                               "task_struct.pi_lock!",
                                               "task_struct.stack",
                                               "thread_info.cpu",
                                               "rq.lock!",
                                               "task_struct.stack",
                                               "thread_info.cpu",
                                               "task_struct.on_rq",
                                               "rq.curr",
                                               "task_struct.on_rq",
                                               "rq.clock_skip_update",
                                               "rq.cpu",
                                               "rq.clock",
                                               "rq.clock*",
                                               "rq.clock_task",
                                               "rq.clock_task*",
                                               "task_struct.sched_class",
                                               "rq.curr",
                                               "task_struct.se.cfs_rq",
                                               "rq.cfs.rq",
                                               "rq.cfs.curr",
                                               "rq.clock_task",
                                               "task_struct.se.exec_start",
                                               "task_struct.se.exec_start*",
                                               "task_struct.se.sum_exec_runtime",
                                               "task_struct.se.sum_exec_runtime*",
                                               "task_struct.se.load.weight",
                                               "task_struct.se.vruntime",
                                               "task_struct.se.vruntime*",
                                               "rq.cfs.min_vruntime",
                                               "rq.cfs.curr",
                                               "rq.cfs.rb_leftmost",
                                               "task_struct.se.vruntime",
                                               "rq.cfs.min_vruntime",
                                               "rq.cfs.min_vruntime*",
                                               "task_struct.se.my_q",
                                               "task_struct.thread.sp0",
                                               "pt_regs.cs",
                                               "task_struct.cgroups",
                                               "task_struct.signal",
                                               "task_struct.se.sum_exec_runtime",
                                               "rq.lock*",
                                               "task_struct.pi_lock*",
                                               "task_struct.thread_node"};
    EXPECT_EQ(v.order, expected);
}

TEST(LockedStep, ThePrefetchesComeBetweenTheTestAndTheClock) {
    const Visit v = visit("v4.7-rc7+prefetch-curr-exec-start");
    const std::vector<std::string> expected = {"rq.curr",
                                               "task_struct.on_rq",
                                               "task_struct.se.cfs_rq",
                                               "rq.cfs.curr",
                                               "task_struct.se.load.weight?",
                                               "task_struct.se.exec_start?",
                                               "rq.clock_skip_update"};
    const auto at = std::search(v.order.begin(), v.order.end(), expected.begin(), expected.end());
    EXPECT_NE(at, v.order.end());
}

}  // namespace
}  // namespace linefill::kernel

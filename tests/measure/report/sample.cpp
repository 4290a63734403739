// SPDX-License-Identifier: Apache-2.0
#include "tests/measure/report/sample.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/measure/helpers.h"

namespace linefill::measure {

using model::AccessKind;
using model::DataSource;
using model::MissClass;

namespace {

constexpr auto kLoad = static_cast<std::size_t>(AccessKind::kLoad);
constexpr auto kStore = static_cast<std::size_t>(AccessKind::kStore);
constexpr auto kRmw = static_cast<std::size_t>(AccessKind::kRmw);
constexpr auto kPrefetch = static_cast<std::size_t>(AccessKind::kPrefetch);
constexpr auto kSpin = static_cast<std::size_t>(AccessKind::kSpin);

const char* const kTaskText =
    "struct task_struct {\n"
    "\tu64                        state;                /*     0     8 */\n"
    "\tint                        on_cpu;               /*     8     4 */\n"
    "\n"
    "\t/* XXX 52 bytes hole, try to pack */\n"
    "\n"
    "\tstruct sched_entity {\n"
    "\t\tu64                exec_start;           /*    64     8 */\n"
    "\t\tu64                sum_exec_runtime;     /*    72     8 */\n"
    "\t\tu64                vruntime;             /*    80     8 */\n"
    "\t} se;                                            /*    64    24 */\n"
    "\tu64                        pi_lock;              /*    88     8 */\n"
    "\n"
    "\t/* size: 96, cachelines: 2, members: 4 */\n"
    "};\n";

const char* const kRqText =
    "struct rq {\n"
    "\tu32                        lock;                 /*     0     4 */\n"
    "\tu32                        nr_running;           /*     4     4 */\n"
    "\n"
    "\t/* size: 8, cachelines: 1, members: 2 */\n"
    "};\n";

void access(AttributionResult& r, const std::string& field, const std::string& function,
            std::size_t kind, const AccessStats& stats) {
    r.fields[{field, kind}] += stats;
    r.functions[function][kind] += stats;
}

}  // namespace

AccessStats accesses(std::uint64_t count, std::uint64_t misses, DataSource source, MissClass miss,
                     double ns, unsigned cpus) {
    AccessStats s;
    s.count = count;
    s.by_source[static_cast<std::size_t>(DataSource::kL1)] = count - misses;
    s.by_source[static_cast<std::size_t>(source)] += misses;
    s.by_miss[static_cast<std::size_t>(MissClass::kHit)] = count - misses;
    s.by_miss[static_cast<std::size_t>(miss)] += misses;
    s.latency_ns = ns * static_cast<double>(misses);
    for (unsigned cpu = 0; cpu < cpus; ++cpu) s.cpus |= std::uint64_t{1} << cpu;
    return s;
}

AttributionResult sample_result() {
    AttributionResult r;
    r.runs = 2;
    r.units = 1000;
    r.observed_units = 250;
    r.cycles = 2000000;
    r.instructions = 900000;
    r.time_cycles[{"[user]", "[user]", "", "base"}] = 100000;
    r.time_cycles[{"sys_clock_gettime", "[user]", "", "base"}] = 150000;
    r.time_cycles[{"sys_clock_gettime", "[user]", "", "syscall"}] = 50000;
    r.time_cycles[{"task_sched_runtime", "thread_group_cputime", "", "base"}] = 200000;
    r.time_cycles[{"task_sched_runtime", "thread_group_cputime", "", "smt"}] = 100000;
    r.time_cycles[{"task_sched_runtime", "thread_group_cputime", "task_struct.se.exec_start",
                   "other-socket"}] = 640000;
    r.time_cycles[{"task_sched_runtime", "scheduler_tick", "task_struct.se.exec_start",
                   "same-socket"}] = 60000;
    r.time_cycles[{"task_sched_runtime", "thread_group_cputime", "rq.lock", "locked-op"}] = 25000;
    r.time_cycles[{"task_sched_runtime", "thread_group_cputime", "rq.lock", "same-socket"}] = 75000;
    r.time_cycles[{"queued_spin_lock_slowpath", "task_sched_runtime", "mcs_spinlock.locked",
                   "lock-wait"}] = 500000;
    r.time_cycles[{"thread_group_cputime", "sys_clock_gettime", "", "base"}] = 90000;
    r.time_cycles[{"thread_group_cputime", "sys_clock_gettime", "", "tlb"}] = 10000;

    access(r, "task_struct.se.exec_start", "task_sched_runtime", kLoad,
           accesses(2000, 900, DataSource::kOtherSocketDirty, MissClass::kTrueSharing, 120, 32));
    access(r, "task_struct.se.exec_start", "task_sched_runtime", kStore,
           accesses(1000, 100, DataSource::kUpgrade, MissClass::kUpgrade, 30, 3));
    access(r, "task_struct.se.sum_exec_runtime", "task_sched_runtime", kLoad, accesses(1000));
    access(r, "task_struct.pi_lock", "task_sched_runtime", kRmw,
           accesses(1000, 400, DataSource::kSameSocketDirty, MissClass::kTrueSharing, 50, 16));
    access(r, "rq.lock", "task_sched_runtime", kRmw,
           accesses(1000, 500, DataSource::kOtherSocketClean, MissClass::kFalseSharing, 60, 32));
    access(r, "mcs_spinlock.locked", "queued_spin_lock_slowpath", kSpin,
           accesses(50000, 600, DataSource::kOtherSocketDirty, MissClass::kTrueSharing, 110, 32));
    access(r, "", "[user]", kLoad, accesses(4000));
    r.places["task_struct.se.exec_start"] = {64, 8};
    r.places["task_struct.se.sum_exec_runtime"] = {72, 8};
    r.places["task_struct.pi_lock"] = {88, 8};
    r.places["rq.lock"] = {0, 4};

    LineStats& hot = r.lines[0x10040];
    hot.add("task_struct.se.exec_start", "task_sched_runtime", kLoad, 0,
            accesses(2000, 900, DataSource::kOtherSocketDirty, MissClass::kTrueSharing, 120, 32));
    hot.add("task_struct.se.exec_start", "task_sched_runtime", kStore, 0,
            accesses(1000, 100, DataSource::kUpgrade, MissClass::kUpgrade, 30, 3));
    hot.add("task_struct.pi_lock", "task_sched_runtime", kRmw, 24,
            accesses(1000, 400, DataSource::kSameSocketDirty, MissClass::kTrueSharing, 50, 16));
    r.lines[0x20000].add("", "[user]", kLoad, 8,
                         accesses(100, 1, DataSource::kSameSocketDirty, MissClass::kTrueSharing));
    r.lines_left_out = 3;
    r.moves_left_out = 99;

    r.locks["task_struct.pi_lock"] = {1, 1000, 640, 180000, 2500, 200000, 310000, 900};
    r.locks["rq.lock"] = {32, 1000, 20, 1200, 90, 52000, 240000, 700};
    r.locks["quiet.lock"] = {1, 10, 0, 0, 0, 100, 200, 30};
    r.pahole["task_struct"] = kTaskText;
    r.pahole["rq"] = kRqText;
    return r;
}

AttributionResult sample_patched() {
    AttributionResult r = sample_result();
    r.cycles = 1500000;
    r.time_cycles[{"task_sched_runtime", "thread_group_cputime", "task_struct.se.exec_start",
                   "other-socket"}] = 140000;
    r.time_cycles[{"task_sched_runtime", "scheduler_tick", "task_struct.se.exec_start",
                   "same-socket"}] = 40000;
    r.time_cycles[{"queued_spin_lock_slowpath", "task_sched_runtime", "mcs_spinlock.locked",
                   "lock-wait"}] = 440000;
    r.time_cycles[{"task_sched_runtime", "thread_group_cputime", "", "base"}] = 250000;
    r.time_cycles[{"task_sched_runtime", "thread_group_cputime", "rq.curr", "dram"}] = 30000;
    r.fields[{"task_struct.se.exec_start", kLoad}] =
        accesses(2000, 100, DataSource::kLlc, MissClass::kCapacity, 15, 32);
    r.fields[{"task_struct.se.exec_start", kPrefetch}] =
        accesses(1000, 900, DataSource::kOtherSocketDirty, MissClass::kTrueSharing, 120, 32);
    r.fields[{"rq.curr", kLoad}] = accesses(1000, 30, DataSource::kDramLocal, MissClass::kCold, 80);
    r.places["rq.curr"] = {80, 8};
    r.locks["task_struct.pi_lock"] = {1, 1000, 600, 150000, 2400, 170000, 270000, 900};
    return r;
}

void expect_golden(const std::string& name, const std::string& text) {
    const std::string path =
        std::string(LINEFILL_SOURCE_DIR) + "/tests/measure/report/golden/" + name;
    if (std::getenv("LINEFILL_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path, std::ios::binary) << text;
        return;
    }
    EXPECT_EQ(text, read_file(path)) << "golden file " << name;
}

}  // namespace linefill::measure

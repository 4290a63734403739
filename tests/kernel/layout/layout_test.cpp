// SPDX-License-Identifier: Apache-2.0
// The shipped layouts against the offsets that the reference sheet prints, and the search by path
// and by offset.
#include "kernel/layout/layout.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/layout/config_options.h"
#include "kernel/version.h"
#include "model/sim/error.h"
#include "tests/kernel/layout/message_of.h"

namespace linefill::kernel {
namespace {

constexpr std::uint32_t kLine = 64;

struct Expected {
    const char* structure;
    const char* field;
    std::uint32_t offset;
};

void expect_offsets(const Layout& layout, const std::vector<Expected>& expected) {
    for (const Expected& entry : expected) {
        EXPECT_EQ(layout.offset(entry.structure, entry.field), entry.offset)
            << layout.name() << " " << entry.structure << "." << entry.field;
    }
}

TEST(LayoutOffsets, RunQueueOf474) {
    const Layout layout = Layout::for_kernel("v4.7-rc7", "x86_64");
    EXPECT_EQ(layout.size_of("rq"), 2736U);
    expect_offsets(layout, {
                               {"rq", "lock", 0},
                               {"rq", "nr_running", 4},
                               {"rq", "cpu_load", 16},
                               {"rq", "last_load_update_tick", 56},
                               {"rq", "nohz_flags", 72},
                               {"rq", "load", 80},
                               {"rq", "nr_switches", 104},
                               {"rq", "cfs", 112},
                               {"rq", "cfs.load", 112},
                               {"rq", "cfs.nr_running", 128},
                               {"rq", "cfs.h_nr_running", 132},
                               {"rq", "cfs.exec_clock", 136},
                               {"rq", "cfs.min_vruntime", 144},
                               {"rq", "cfs.tasks_timeline", 152},
                               {"rq", "cfs.rb_leftmost", 160},
                               {"rq", "cfs.curr", 168},
                               {"rq", "cfs.last", 184},
                               {"rq", "cfs.skip", 192},
                               {"rq", "cfs.avg", 208},
                               {"rq", "cfs.runnable_load_avg", 256},
                               {"rq", "cfs.removed_load_avg", 272},
                               {"rq", "cfs.removed_util_avg", 280},
                               {"rq", "cfs.rq", 312},
                               {"rq", "cfs.tg", 344},
                               {"rq", "cfs.runtime_enabled", 352},
                               {"rq", "cfs.runtime_remaining", 368},
                               {"rq", "nr_uninterruptible", 2264},
                               {"rq", "curr", 2272},
                               {"rq", "idle", 2280},
                               {"rq", "next_balance", 2296},
                               {"rq", "prev_mm", 2304},
                               {"rq", "clock_skip_update", 2312},
                               {"rq", "clock", 2320},
                               {"rq", "clock_task", 2328},
                               {"rq", "rd", 2344},
                               {"rq", "sd", 2352},
                               {"rq", "cpu_capacity", 2360},
                               {"rq", "cpu", 2440},
                               {"rq", "online", 2444},
                               {"rq", "avg_idle", 2488},
                               {"rq", "calc_load_active", 2520},
                               {"rq", "hrtick_timer", 2568},
                               {"rq", "rq_sched_info", 2656},
                               {"rq", "rq_cpu_time", 2688},
                               {"rq", "yld_count", 2696},
                               {"rq", "ttwu_local", 2712},
                               {"rq", "wake_list", 2720},
                               {"rq", "idle_state", 2728},
                           });
}

// The lines that the sheet's list of one locked step names.
TEST(LayoutOffsets, LinesOfOneLockedStep) {
    const Layout layout = Layout::for_kernel("v4.7-rc7", "x86_64");
    const auto line = [&layout](const char* structure, const char* field) {
        return layout.offset(structure, field) / kLine;
    };
    EXPECT_EQ(line("rq", "lock"), 0U);
    EXPECT_EQ(line("rq", "cfs.min_vruntime"), 2U);
    EXPECT_EQ(line("rq", "cfs.rq"), 4U);
    EXPECT_EQ(line("rq", "curr"), 35U);
    EXPECT_EQ(line("rq", "clock"), 36U);
    EXPECT_EQ(line("rq", "cpu"), 38U);
    EXPECT_EQ(line("task_struct", "on_cpu"), 0U);
    EXPECT_EQ(line("task_struct", "se.load"), 2U);
    EXPECT_EQ(line("task_struct", "se.exec_start"), 3U);
    EXPECT_EQ(line("task_struct", "se.statistics.exec_max"), 5U);
    EXPECT_EQ(line("task_struct", "se.cfs_rq"), 7U);
    EXPECT_EQ(line("task_struct", "signal"), 25U);
    EXPECT_EQ(line("task_struct", "pi_lock"), 27U);
    EXPECT_EQ(line("task_struct", "cgroups"), 30U);
    EXPECT_EQ(line("signal_struct", "cputimer.running"), 4U);
    EXPECT_EQ(line("signal_struct", "stats_lock"), 6U);
}

TEST(LayoutOffsets, TaskOf474) {
    const Layout layout = Layout::for_kernel("v4.7-rc7", "x86_64");
    EXPECT_EQ(layout.size_of("task_struct"), 6784U);
    EXPECT_EQ(layout.align_of("task_struct"), 64U);
    EXPECT_EQ(layout.size_of("task_struct", "thread"), 4352U);
    expect_offsets(layout, {
                               {"task_struct", "state", 0},
                               {"task_struct", "stack", 8},
                               {"task_struct", "usage", 16},
                               {"task_struct", "wake_entry", 32},
                               {"task_struct", "on_cpu", 40},
                               {"task_struct", "wake_cpu", 64},
                               {"task_struct", "on_rq", 68},
                               {"task_struct", "sched_class", 88},
                               {"task_struct", "se", 128},
                               {"task_struct", "se.run_node", 144},
                               {"task_struct", "se.run_node.rb_left", 160},
                               {"task_struct", "se.on_rq", 184},
                               {"task_struct", "se.exec_start", 192},
                               {"task_struct", "se.sum_exec_runtime", 200},
                               {"task_struct", "se.vruntime", 208},
                               {"task_struct", "se.nr_migrations", 224},
                               {"task_struct", "se.statistics", 232},
                               {"task_struct", "se.statistics.nr_wakeups", 376},
                               {"task_struct", "se.depth", 448},
                               {"task_struct", "se.cfs_rq", 464},
                               {"task_struct", "se.my_q", 472},
                               {"task_struct", "se.avg", 512},
                               {"task_struct", "rt", 576},
                               {"task_struct", "sched_task_group", 624},
                               {"task_struct", "policy", 812},
                               {"task_struct", "sched_info", 832},
                               {"task_struct", "mm", 944},
                               {"task_struct", "sched_contributes_to_load", 1052},
                               {"task_struct", "in_iowait", 1056},
                               {"task_struct", "group_leader", 1184},
                               {"task_struct", "thread_group", 1296},
                               {"task_struct", "thread_node", 1312},
                               {"task_struct", "utime", 1352},
                               {"task_struct", "stime", 1360},
                               {"task_struct", "nvcsw", 1416},
                               {"task_struct", "cputime_expires", 1464},
                               {"task_struct", "files", 1608},
                               {"task_struct", "signal", 1624},
                               {"task_struct", "sighand", 1632},
                               {"task_struct", "alloc_lock", 1760},
                               {"task_struct", "pi_lock", 1764},
                               {"task_struct", "cgroups", 1968},
                               {"task_struct", "delays", 2312},
                               {"task_struct", "thread", 2432},
                               {"task_struct", "thread.sp0", 2456},
                           });
}

TEST(LayoutOffsets, OtherStructuresOf474) {
    const Layout layout = Layout::for_kernel("v4.7-rc7", "x86_64");
    EXPECT_EQ(layout.size_of("cfs_rq"), 320U);
    EXPECT_EQ(layout.size_of("sched_entity"), 448U);
    EXPECT_EQ(layout.align_of("sched_entity"), 64U);
    EXPECT_EQ(layout.size_of("signal_struct"), 1056U);
    EXPECT_EQ(layout.size_of("thread_info"), 40U);
    EXPECT_EQ(layout.size_of("task_group"), 640U);
    EXPECT_EQ(layout.size_of("zone"), 1536U);
    EXPECT_EQ(layout.size_of("zone", "vm_stat"), 39U * 8);
    EXPECT_EQ(layout.size_of("per_cpu_pageset", "vm_stat_diff"), 39U);
    expect_offsets(layout, {
                               {"signal_struct", "live", 4},
                               {"signal_struct", "thread_head", 16},
                               {"signal_struct", "cputimer", 288},
                               {"signal_struct", "cputimer.running", 312},
                               {"signal_struct", "cputimer.checking_timer", 313},
                               {"signal_struct", "cputime_expires", 320},
                               {"signal_struct", "stats_lock", 416},
                               {"signal_struct", "stats_lock.seqcount", 416},
                               {"signal_struct", "stats_lock.lock", 420},
                               {"signal_struct", "utime", 424},
                               {"signal_struct", "cstime", 448},
                               {"signal_struct", "prev_cputime", 472},
                               {"signal_struct", "prev_cputime.lock", 488},
                               {"signal_struct", "sum_sched_runtime", 664},
                               {"thread_info", "flags", 8},
                               {"thread_info", "cpu", 16},
                               {"thread_info", "addr_limit", 24},
                               {"task_group", "se", 184},
                               {"task_group", "cfs_rq", 192},
                               {"task_group", "shares", 200},
                               {"task_group", "load_avg", 256},
                               {"task_group", "cfs_bandwidth", 336},
                               {"root_domain", "overload", 40},
                               {"unix_sock", "readlock", 744},
                               {"unix_sock", "lock", 816},
                               {"unix_sock", "sk.sk_wmem_alloc", 288},
                               {"sock", "sk_receive_queue", 168},
                               {"pipe_inode_info", "nrbufs", 64},
                               {"zone", "pageset", 80},
                               {"zone", "lock", 992},
                               {"per_cpu_pageset", "stat_threshold", 65},
                               {"sched_domain", "ttwu_wake_remote", 252},
                               {"cfs_rq", "h_load", 176},
                               {"cfs_rq", "throttle_count", 292},
                           });
}

// The table "Differences that matter".
TEST(LayoutOffsets, DifferencesBetweenKernels) {
    struct Row {
        const char* layout;
        std::uint32_t lock_size;
        std::uint32_t se;
        std::uint32_t exec_start;
        std::uint32_t se_cfs_rq;
        std::uint32_t pi_lock;
        std::uint32_t cfs;
        std::uint32_t curr;
        std::uint32_t clock;
        std::uint32_t stat_items;
    };
    const Row rows[] = {
        {"v3.18.63-x86_64", 2, 104, 168, 440, 1818, 120, 2240, 2280, 39},
        {"v4.4.0-x86_64", 4, 96, 160, 432, 1676, 112, 2264, 2312, 39},
        {"v4.7.4-x86_64", 4, 128, 192, 464, 1764, 112, 2272, 2320, 39},
        {"v4.8.15-x86_64", 4, 128, 192, 464, 1764, 112, 2264, 2312, 20},
        {"v4.4.0-arm64", 4, 96, 160, 432, 1652, 104, 2256, 2304, 33},
        {"v4.7.4-arm64", 4, 128, 192, 464, 1820, 112, 2272, 2320, 39},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.layout);
        const Layout layout = Layout::shipped(row.layout);
        EXPECT_EQ(layout.size_of("raw_spinlock"), row.lock_size);
        EXPECT_EQ(layout.offset("task_struct", "se"), row.se);
        EXPECT_EQ(layout.offset("task_struct", "se.exec_start"), row.exec_start);
        EXPECT_EQ(layout.offset("task_struct", "se.cfs_rq"), row.se_cfs_rq);
        EXPECT_EQ(layout.offset("task_struct", "pi_lock"), row.pi_lock);
        EXPECT_EQ(layout.offset("rq", "cfs"), row.cfs);
        EXPECT_EQ(layout.offset("rq", "curr"), row.curr);
        EXPECT_EQ(layout.offset("rq", "clock"), row.clock);
        EXPECT_EQ(layout.size_of("per_cpu_pageset", "vm_stat_diff"), row.stat_items);
    }
    EXPECT_EQ(Layout::shipped("v4.8.15-x86_64").size_of("cfs_rq") + 8,
              Layout::shipped("v4.7.4-x86_64").size_of("cfs_rq"));
}

TEST(LayoutOffsets, StructuresThatOnlyTheSheetDescribes) {
    const Layout layout = Layout::for_kernel("v4.7-rc7", "x86_64");
    EXPECT_EQ(layout.size_of("mcs_nodes"), 64U);
    EXPECT_EQ(layout.align_of("mcs_nodes"), 64U);
    EXPECT_EQ(layout.offset("mcs_nodes", "node2.locked"), 40U);
    // The saved registers end where the stack ends; CS is the fourth word from the top.
    EXPECT_EQ(layout.size_of("kernel_stack"), 16384U);
    EXPECT_EQ(layout.offset("kernel_stack", "pt_regs") + layout.size_of("pt_regs"), 16384U);
    EXPECT_EQ(layout.offset("kernel_stack", "pt_regs.cs"), 16384U - 4 * 8);
    EXPECT_EQ(layout.offset("kernel_stack", "thread_info.cpu"), 16U);
    EXPECT_EQ(layout.offset("cpuacct_usage", "system"), 8U);
    EXPECT_EQ(Layout::shipped("v3.18.63-x86_64").size_of("cpuacct_usage"), 8U);
    EXPECT_FALSE(Layout::shipped("v3.18.63-x86_64").has("mcs_nodes"));
    EXPECT_NE(layout.source_of("mcs_nodes"), layout.source_of("rq"));
}

// Every table, the supplement's included, is consistent in itself.
TEST(LayoutTables, MembersLieInsideTheirStructures) {
    ASSERT_EQ(Layout::shipped_names().size(), 8U);
    for (const std::string& name : Layout::shipped_names()) {
        const Layout layout = Layout::shipped(name);
        for (const LayoutStruct& structure : layout.tables().structs) {
            SCOPED_TRACE(name + " " + structure.name);
            EXPECT_GT(structure.align, 0U);
            EXPECT_EQ(structure.align & (structure.align - 1), 0U);
            EXPECT_EQ(structure.size % structure.align, 0U);
            EXPECT_FALSE(structure.source.empty());
            for (const LayoutField& field : structure.fields) {
                EXPECT_LE(field.end(), structure.size) << field.name;
                if (!field.type.empty()) {
                    EXPECT_EQ(layout.size_of(field.type), field.size) << field.name;
                    EXPECT_EQ(field.offset % std::min(layout.align_of(field.type), 8U), 0U)
                        << field.name;
                }
            }
        }
    }
}

TEST(LayoutChoice, KernelVersions) {
    EXPECT_EQ(Layout::for_kernel("v3.18-rc5", "x86_64").name(), "v3.18.63-x86_64");
    EXPECT_EQ(Layout::for_kernel("v4.4", "arm64").name(), "v4.4.0-arm64");
    EXPECT_EQ(Layout::for_kernel("v4.8", "aarch64").name(), "v4.8.15-arm64");
    // From 4.5 on sched_entity is aligned to lines, which v4.4.0 does not have.
    const Layout layout = Layout::for_kernel("v4.5-rc1", "x86_64");
    EXPECT_EQ(layout.align_of("sched_entity"), 64U);
    EXPECT_EQ(layout.offset("task_group", "load_avg") % kLine, 0U);
}

TEST(LayoutChoice, AgreesWithTheTableOfVersions) {
    for (const VersionInfo& version : known_versions()) {
        if (!version.layout_version.empty()) {
            EXPECT_EQ(Layout::for_kernel(version.name, "x86_64").name(),
                      version.layout_version + "-x86_64");
        }
    }
}

TEST(LayoutChoice, UnknownNamesAreRefusedWithTheNearest) {
    EXPECT_EQ(message_of([] { (void)Layout::for_kernel("v4.7-rc6", "x86_64"); }),
              "unknown kernel version: \"v4.7-rc6\"; did you mean \"v4.7-rc7\"?");
    EXPECT_NE(message_of([] {
                  (void)Layout::for_kernel("v3.18-rc5", "arm64");
              }).find("no layout of kernel v3.18-rc5 for arm64"),
              std::string::npos);
    EXPECT_NE(message_of([] { (void)Layout::for_kernel("v4.8", "sparc"); }).find("sparc"),
              std::string::npos);
    EXPECT_EQ(message_of([] { (void)Layout::shipped("v4.7-x86_64"); }),
              "unknown layout: \"v4.7-x86_64\"; did you mean \"v4.7.4-x86_64\"?");
    EXPECT_EQ(message_of([] { (void)Layout::shipped("supplement"); }),
              "unknown layout: \"supplement\"");
    const Layout layout = Layout::for_kernel("v4.7-rc7", "x86_64");
    EXPECT_EQ(message_of([&] { (void)layout.offset("task_strut", "state"); }),
              "layout v4.7.4-x86_64 has no such structure: \"task_strut\"; "
              "did you mean \"task_struct\"?");
    EXPECT_EQ(message_of([&] { (void)layout.offset("task_struct", "se.vruntme"); }),
              "layout v4.7.4-x86_64 has no such field in task_struct: \"se.vruntme\"; "
              "did you mean \"se.vruntime\"?");
    EXPECT_EQ(message_of([&] { (void)layout.offset("task_struct", "exec_start"); }),
              "layout v4.7.4-x86_64 has no such field in task_struct: \"exec_start\"; "
              "did you mean \"se.exec_start\"?");
}

TEST(LayoutSearch, FieldAtGivesTheInnermostMember) {
    const Layout layout = Layout::for_kernel("v4.7-rc7", "x86_64");
    EXPECT_EQ(layout.field_at("task_struct", 192), "se.exec_start");
    EXPECT_EQ(layout.field_at("task_struct", 199), "se.exec_start");
    EXPECT_EQ(layout.field_at("task_struct", 536), "se.avg.load_avg");
    EXPECT_EQ(layout.field_at("task_struct", 1764), "pi_lock");
    EXPECT_EQ(layout.field_at("rq", 0), "lock");
    EXPECT_EQ(layout.field_at("rq", 24), "cpu_load");
    EXPECT_EQ(layout.field_at("rq", 144), "cfs.min_vruntime");
    EXPECT_EQ(layout.field_at("signal_struct", 608), "ioac.rchar");
    EXPECT_EQ(layout.field_at("task_struct", 4), "state");
    EXPECT_EQ(layout.field_at("task_struct", 55), "wakee_flip_decay_ts");
}

TEST(LayoutSearch, HolesAreInNoField) {
    const Layout layout = Layout::for_kernel("v4.7-rc7", "x86_64");
    EXPECT_EQ(layout.field_at("sched_entity", 60), "");
    // A hole of an embedded structure is a part of that one.
    EXPECT_EQ(layout.field_at("task_struct", 188), "se");
    EXPECT_EQ(layout.field_at("rq", 2736), "");
    EXPECT_EQ(layout.field_at("rq", 4000000000U), "");
}

TEST(LayoutSearch, EveryFieldIsFoundAgainAtItsOffset) {
    for (const std::string& name : Layout::shipped_names()) {
        const Layout layout = Layout::shipped(name);
        for (const char* structure : {"rq", "task_struct", "signal_struct", "sched_entity"}) {
            std::map<std::string, LayoutMember> known;
            for (const LayoutMember& member : layout.fields(structure)) {
                SCOPED_TRACE(name + " " + structure + " " + member.name);
                EXPECT_EQ(layout.offset(structure, member.name), member.offset);
                EXPECT_EQ(layout.size_of(structure, member.name), member.size);
                const std::size_t dot = member.name.rfind('.');
                if (dot != std::string::npos) {
                    const LayoutMember& parent = known.at(member.name.substr(0, dot));
                    EXPECT_GE(member.offset, parent.offset);
                    EXPECT_LE(member.offset + member.size, parent.offset + parent.size);
                    EXPECT_EQ(member.depth, parent.depth + 1);
                    EXPECT_TRUE(parent.has_members);
                }
                known[member.name] = member;
                // In a union the partner that is listed first, or that has members, is found.
                if (member.size > 0) {
                    const std::string found = layout.field_at(structure, member.offset);
                    const std::uint32_t begin = layout.offset(structure, found);
                    EXPECT_LE(begin, member.offset);
                    EXPECT_GT(begin + layout.size_of(structure, found), member.offset);
                    EXPECT_LE(layout.size_of(structure, found), member.size);
                }
            }
        }
    }
}

TEST(LayoutSearch, PresenceFollowsTheVersion) {
    EXPECT_TRUE(Layout::shipped("v4.7.4-x86_64").has("cfs_rq", "throttle_uptodate"));
    EXPECT_FALSE(Layout::shipped("v4.8.15-x86_64").has("cfs_rq", "throttle_uptodate"));
    EXPECT_TRUE(Layout::shipped("v4.7.4-x86_64").has("rq", "cfs.throttle_uptodate"));
    EXPECT_FALSE(Layout::shipped("v4.7.4-x86_64").has("rq", "cfs.throttle_uptodat"));
    EXPECT_FALSE(Layout::shipped("v4.7.4-x86_64").has("rq", "cfs."));
    EXPECT_FALSE(Layout::shipped("v4.7.4-x86_64").has("rq", "."));
    EXPECT_FALSE(Layout::shipped("v4.7.4-x86_64").has("rq", ""));
    EXPECT_FALSE(Layout::shipped("v4.7.4-x86_64").has("rq", "cfs.load.weight.more"));
    EXPECT_FALSE(Layout::shipped("v4.7.4-x86_64").has("nothing", "lock"));
}

}  // namespace
}  // namespace linefill::kernel

// SPDX-License-Identifier: Apache-2.0
// The recorded path of task_sched_runtime is the one that the references list.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/base/registry.h"
#include "kernel/trace/path_scenario.h"
#include "model/platform/load.h"

namespace linefill::kernel {
namespace {

using ::testing::HasSubstr;

struct Step {
    std::string field, kind, needs;
    std::string function;
};

const char* kind_of(model::AccessKind k) {
    switch (k) {
        case model::AccessKind::kLoad:
            return "load";
        case model::AccessKind::kStore:
            return "store";
        case model::AccessKind::kRmw:
            return "rmw";
        case model::AccessKind::kPrefetch:
            return "prefetch";
        default:
            return "spin";
    }
}

std::vector<Step> path_of(const std::string& function, const std::string& spec) {
    const KernelSpec parsed = parse_kernel_spec(spec);
    const RecordedPath path =
        record_path(function, parsed, Layout::for_kernel(parsed.version, "x86_64"),
                    model::load_platform("xeon-snb-2s", {"platforms"}));
    const auto name = [](model::FieldId id) {
        const FieldInfo& f = FieldRegistry::instance().info(id);
        return f.structure + "." + f.field;
    };
    std::vector<Step> steps;
    for (const PathStep& s : path.steps) {
        steps.push_back({name(s.field), kind_of(s.kind),
                         s.depends_on < 0 ? "" : name(path.steps[s.depends_on].field),
                         FunctionRegistry::instance().info(s.function).symbol});
    }
    return steps;
}

/// Index of the first such step from `from` on; fails the test if there is none.
std::size_t find(const std::vector<Step>& steps, const std::string& field, const std::string& kind,
                 std::size_t from = 0) {
    for (std::size_t i = from; i < steps.size(); ++i) {
        if (steps[i].field == field && steps[i].kind == kind) return i;
    }
    ADD_FAILURE() << "no " << kind << " of " << field << " from step " << from;
    return steps.size();
}

TEST(PathTest, LocksAreTakenInOrderAndTheRunQueueIsFoundThroughTheStack) {
    const auto steps = path_of("task_sched_runtime", "v4.7-rc7");
    const auto pi = find(steps, "task_struct.pi_lock", "rmw");
    const auto cpu = find(steps, "thread_info.cpu", "load", pi);
    const auto rq = find(steps, "rq.lock", "rmw", cpu);
    EXPECT_EQ(steps[cpu].needs, "task_struct.stack");
    const auto curr = find(steps, "rq.curr", "load", rq);
    const auto clock = find(steps, "rq.clock", "store", curr);
    const auto exec = find(steps, "task_struct.se.exec_start", "store", clock);
    find(steps, "rq.cfs.min_vruntime", "store", exec);
    const auto release = find(steps, "rq.lock", "store", exec);
    find(steps, "task_struct.pi_lock", "store", release);
    // Not before the prefetch patch.
    EXPECT_TRUE(std::none_of(steps.begin(), steps.end(),
                             [](const Step& s) { return s.kind == "prefetch"; }));
}

TEST(PathTest, ThePrefetchesComeBeforeTheClockAndDependOnTheQueuesCurrentEntity) {
    const auto steps = path_of("task_sched_runtime", "v4.7-rc7+prefetch-curr-exec-start");
    const auto rq = find(steps, "rq.lock", "rmw");
    const auto load = find(steps, "task_struct.se.load.weight", "prefetch", rq);
    const auto exec = find(steps, "task_struct.se.exec_start", "prefetch", load);
    EXPECT_EQ(steps[load].needs, "rq.cfs.curr");
    EXPECT_EQ(steps[exec].needs, "rq.cfs.curr");
    find(steps, "rq.clock", "store", exec);
}

TEST(PathTest, TheParentOfTheFixStoresToNoTask) {
    const auto steps = path_of("task_sched_runtime", "v3.18-rc5");
    for (const Step& s : steps) {
        const bool stores = s.kind == "store" && s.field != "task_struct.pi_lock";
        EXPECT_FALSE(stores && s.field.rfind("task_struct.", 0) == 0) << s.field;
    }
    find(steps, "task_struct.se.exec_start", "load");
}

TEST(PathTest, TheGroupIsWalkedFromLinkToLink) {
    const auto steps = path_of("thread_group_cputime", "v4.7-rc7");
    const auto seq = find(steps, "signal_struct.stats_lock", "load");
    const auto head = find(steps, "signal_struct.thread_head", "load", seq);
    const auto first = find(steps, "task_struct.utime", "load", head);
    EXPECT_EQ(steps[first].needs, "signal_struct.thread_head");
    const auto link = find(steps, "task_struct.thread_node", "load", first);
    const auto second = find(steps, "task_struct.utime", "load", link);
    EXPECT_EQ(steps[second].needs, "task_struct.thread_node");
    find(steps, "signal_struct.stats_lock", "load", second);
}

TEST(PathTest, AnUnknownFunctionOffersTheNearest) {
    try {
        (void)path_of("task_sched_runtme", "v4.7-rc7");
        FAIL();
    } catch (const model::UserError& e) {
        EXPECT_THAT(e.what(), HasSubstr("did you mean \"task_sched_runtime\"?"));
    }
}

}  // namespace
}  // namespace linefill::kernel

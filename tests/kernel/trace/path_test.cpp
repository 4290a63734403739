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

struct Expected {
    std::string field, kind;
    std::string needs = {};  ///< "": whatever it depends on
};

struct Walk {
    std::string name, function, spec;
    std::vector<Expected> steps;
};

class PathOrder : public ::testing::TestWithParam<Walk> {};

TEST_P(PathOrder, StepsFollowEachOther) {
    const std::vector<Step> steps = path_of(GetParam().function, GetParam().spec);
    std::size_t at = 0;
    for (const Expected& expected : GetParam().steps) {
        while (at < steps.size() &&
               (steps[at].field != expected.field || steps[at].kind != expected.kind)) {
            ++at;
        }
        ASSERT_LT(at, steps.size())
            << "no " << expected.kind << " of " << expected.field << " where it belongs";
        if (!expected.needs.empty()) {
            EXPECT_EQ(steps[at].needs, expected.needs) << expected.kind << " of " << expected.field;
        }
        ++at;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Paths, PathOrder,
    ::testing::Values(Walk{"LocksAreTakenInOrderAndTheRunQueueIsFoundThroughTheStack",
                           "task_sched_runtime",
                           "v4.7-rc7",
                           {{"task_struct.pi_lock", "rmw"},
                            {"thread_info.cpu", "load", "task_struct.stack"},
                            {"rq.lock", "rmw"},
                            {"rq.curr", "load"},
                            {"rq.clock", "store"},
                            {"task_struct.se.exec_start", "store"},
                            {"rq.cfs.min_vruntime", "store"}}},
                      Walk{"LocksAreReleasedInTheOppositeOrder",
                           "task_sched_runtime",
                           "v4.7-rc7",
                           {{"task_struct.se.exec_start", "store"},
                            {"rq.lock", "store"},
                            {"task_struct.pi_lock", "store"}}},
                      Walk{"ThePrefetchesComeBeforeTheClockAndDependOnTheQueuesCurrentEntity",
                           "task_sched_runtime",
                           "v4.7-rc7+prefetch-curr-exec-start",
                           {{"rq.lock", "rmw"},
                            {"task_struct.se.load.weight", "prefetch", "rq.cfs.curr"},
                            {"task_struct.se.exec_start", "prefetch", "rq.cfs.curr"},
                            {"rq.clock", "store"}}},
                      Walk{"TheParentOfTheFixReadsTheStart",
                           "task_sched_runtime",
                           "v3.18-rc5",
                           {{"task_struct.se.exec_start", "load"}}},
                      Walk{"TheGroupIsWalkedFromLinkToLink",
                           "thread_group_cputime",
                           "v4.7-rc7",
                           {{"signal_struct.stats_lock", "load"},
                            {"signal_struct.thread_head", "load"},
                            {"task_struct.utime", "load", "signal_struct.thread_head"},
                            {"task_struct.thread_node", "load"},
                            {"task_struct.utime", "load", "task_struct.thread_node"},
                            {"signal_struct.stats_lock", "load"}}}),
    [](const auto& info) { return info.param.name; });

TEST(PathTest, ThePrefetchesAreThePatchs) {
    const auto steps = path_of("task_sched_runtime", "v4.7-rc7");
    EXPECT_TRUE(std::none_of(steps.begin(), steps.end(),
                             [](const Step& s) { return s.kind == "prefetch"; }));
}

TEST(PathTest, TheParentOfTheFixStoresToNoTask) {
    const auto steps = path_of("task_sched_runtime", "v3.18-rc5");
    for (const Step& s : steps) {
        const bool stores = s.kind == "store" && s.field != "task_struct.pi_lock";
        EXPECT_FALSE(stores && s.field.rfind("task_struct.", 0) == 0) << s.field;
    }
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

// SPDX-License-Identifier: Apache-2.0
// The shipped patches are complete, and a new one's files say what they should.
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/patches/new_patch.h"
#include "kernel/version.h"

namespace linefill::kernel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PatchesTest, EveryPatchIsDescribedAndCanBeTried) {
    ASSERT_GE(all_patches().size(), 7U);
    for (const Patch* p : all_patches()) {
        EXPECT_FALSE(p->title.empty()) << p->slug;
        EXPECT_GT(p->paragraph.size(), 40U) << p->slug;
        EXPECT_TRUE(p->commit.empty() || p->commit.size() == 12U) << p->slug;
        EXPECT_FALSE(p->scenario.workloads.empty()) << p->slug;
        EXPECT_FALSE(p->scenario.platform.empty()) << p->slug;
        EXPECT_TRUE(p->may_apply_to(p->scenario.base) || p->is_in(p->scenario.base)) << p->slug;
        for (const std::string& needed : p->needs) EXPECT_NO_THROW((void)find_patch(needed));
        for (const KernelVersion v : p->applies_to) EXPECT_FALSE(p->is_in(v)) << p->slug;
    }
}

TEST(PatchesTest, TheScenarioOfABuiltPatchIsAPairOfKernelsThatRun) {
    for (const Patch* p : all_patches()) {
        if (!p->built) continue;
        const auto [without, with] = patch_range(p->slug);
        EXPECT_FALSE(parse_kernel_spec(without).has(*p)) << p->slug;
        EXPECT_TRUE(parse_kernel_spec(with).has(*p)) << p->slug;
    }
}

TEST(PatchesTest, AreListedBySlug) {
    std::string before;
    for (const Patch* p : all_patches()) {
        EXPECT_LT(before, p->slug);
        before = p->slug;
    }
}

TEST(NewPatchTest, RendersTheSwitchAndATest) {
    const NewPatchFiles files = render_new_patch("warm-runqueue", "v4.7-rc7");
    EXPECT_EQ(files.identifier, "warm_runqueue");
    EXPECT_EQ(files.patch_path, "kernel/patches/warm_runqueue.cpp");
    EXPECT_EQ(files.test_path, "tests/kernel/patches/warm_runqueue_test.cpp");
    EXPECT_THAT(files.patch_text, HasSubstr("const Patch warm_runqueue(PatchInfo{"));
    EXPECT_THAT(files.patch_text, HasSubstr(".slug = \"warm-runqueue\""));
    EXPECT_THAT(files.patch_text, HasSubstr("KernelVersion::kV4_7Rc7"));
    EXPECT_THAT(files.patch_text, HasSubstr("SPDX-License-Identifier: Apache-2.0"));
    EXPECT_THAT(files.patch_text, Not(HasSubstr("@")));
    EXPECT_THAT(files.test_text, HasSubstr("TEST(WarmRunqueuePatchTest,"));
    EXPECT_THAT(files.test_text, HasSubstr("\"v4.7-rc7+warm-runqueue\""));
    EXPECT_THAT(files.test_text, Not(HasSubstr("@")));
}

TEST(NewPatchTest, AnIdentifierIsNeverAReservedWord) {
    EXPECT_EQ(render_new_patch("new", "v4.7-rc7").identifier, "new_switch");
    EXPECT_EQ(render_new_patch("thread-local", "v3.18-rc5").identifier, "thread_local_switch");
    // Nor does its file take the place of one that is there.
    for (const char* slug : {"new-patch", "new", "patch", "planned"}) {
        const std::string path = render_new_patch(slug, "v4.7-rc7").patch_path;
        EXPECT_NE(path, "kernel/patches/new_patch.cpp");
        EXPECT_NE(path, "kernel/patches/patch.cpp");
        EXPECT_NE(path, "kernel/patches/planned.cpp");
    }
}

TEST(NewPatchTest, BadNamesAndVersionsAreRefused) {
    for (const char* name : {"", "Warm", "1st", "-a", "a-", "a--b", "a_b", "../x", "a b"}) {
        EXPECT_THROW((void)render_new_patch(name, "v4.7-rc7"), model::UserError) << name;
    }
    EXPECT_THROW((void)render_new_patch("no-pending-runtime", "v4.7-rc7"), model::UserError);
    EXPECT_THROW((void)render_new_patch("fine", "v9.9"), model::UserError);
    EXPECT_THROW((void)render_new_patch("fine", "v4.8"), NotBuiltYet);
}

}  // namespace
}  // namespace linefill::kernel

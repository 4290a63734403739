// SPDX-License-Identifier: Apache-2.0
// Kernel specifications: what is in effect, and every way in which they can be wrong.
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/version.h"

namespace linefill::kernel {
namespace {

using model::UserError;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// The message of the error that `f` throws; a failure if it throws none, or the wrong kind.
std::string message_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const NotBuiltYet& e) {
        ADD_FAILURE() << "reported as not built: " << e.what();
        return e.what();
    } catch (const UserError& e) {
        return e.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

std::string spec_error(const std::string& spec, const std::vector<std::string>& config = {},
                       const std::vector<std::string>& boot = {}) {
    return message_of([&] { (void)parse_kernel_spec(spec, config, boot); });
}

TEST(KernelSpecTest, AVersionHasThePatchesThatWentInBefore) {
    EXPECT_FALSE(parse_kernel_spec("v3.18-rc5").has(update_curr_on_clock_read));
    const KernelSpec later = parse_kernel_spec("v4.7-rc7");
    EXPECT_TRUE(later.has(update_curr_on_clock_read));
    EXPECT_FALSE(later.has(prefetch_curr_exec_start));
    EXPECT_FALSE(later.has(no_pending_runtime));
}

TEST(KernelSpecTest, PatchesApplyAloneAndTogether) {
    const KernelSpec one = parse_kernel_spec("v4.7-rc7+prefetch-curr-exec-start");
    EXPECT_TRUE(one.has(prefetch_curr_exec_start));
    EXPECT_FALSE(one.has(no_pending_runtime));
    const KernelSpec other = parse_kernel_spec("v4.7-rc7+no-pending-runtime");
    EXPECT_FALSE(other.has(prefetch_curr_exec_start));
    EXPECT_TRUE(other.has(no_pending_runtime));
    const KernelSpec both =
        parse_kernel_spec("v4.7-rc7+no-pending-runtime+prefetch-curr-exec-start");
    EXPECT_TRUE(both.has(prefetch_curr_exec_start));
    EXPECT_TRUE(both.has(no_pending_runtime));
    EXPECT_EQ(both.text(), "v4.7-rc7+no-pending-runtime+prefetch-curr-exec-start");
    EXPECT_TRUE(
        parse_kernel_spec("v3.18-rc5+update-curr-on-clock-read").has(update_curr_on_clock_read));
}

TEST(KernelSpecTest, ARevertedPatchIsOut) {
    const KernelSpec spec = parse_kernel_spec("v4.7-rc7~update-curr-on-clock-read");
    EXPECT_FALSE(spec.has(update_curr_on_clock_read));
    EXPECT_EQ(spec.text(), "v4.7-rc7~update-curr-on-clock-read");
}

TEST(KernelSpecTest, ACommitIdOfSevenDigitsOrMoreNamesThePatch) {
    for (const char* id : {"6075620", "6075620b0590", "6075620b0590000000000000000000000000000a"}) {
        const KernelSpec spec = parse_kernel_spec(std::string("v4.7-rc7+") + id);
        EXPECT_TRUE(spec.has(prefetch_curr_exec_start)) << id;
        EXPECT_EQ(spec.text(), "v4.7-rc7+prefetch-curr-exec-start");
    }
    EXPECT_THAT(spec_error("v4.7-rc7+607562"), HasSubstr("unknown patch"));
    EXPECT_THAT(spec_error("v4.7-rc7+6075621"), HasSubstr("unknown patch"));
}

TEST(KernelSpecTest, UnknownNamesAreErrorsThatOfferTheNearest) {
    EXPECT_THAT(spec_error("v4.7-rc6"),
                AllOf(HasSubstr("unknown kernel version"), HasSubstr("v4.7-rc6"),
                      HasSubstr("did you mean \"v4.7-rc7\"?")));
    EXPECT_THAT(
        spec_error("v4.7-rc7+prefetch-curr-exec-strat"),
        AllOf(HasSubstr("unknown patch"), HasSubstr("did you mean \"prefetch-curr-exec-start\"?")));
    EXPECT_THAT(spec_error("v4.4+vmstat-quite-on-idle"), HasSubstr("unknown patch"));
    EXPECT_THAT(spec_error(""), HasSubstr("no kernel given"));
    EXPECT_THAT(spec_error("v4.7-rc7+"), HasSubstr("no patch after +"));
    EXPECT_THAT(spec_error("v4.7-rc7++no-pending-runtime"), HasSubstr("no patch after +"));
}

TEST(KernelSpecTest, APatchThatIsInCannotBeApplied) {
    EXPECT_THAT(spec_error("v4.7-rc7+update-curr-on-clock-read"),
                HasSubstr("v4.7-rc7 has the patch update-curr-on-clock-read already"));
    EXPECT_THAT(spec_error("v4.7-rc7+no-pending-runtime+a1eb1411b4e4"),
                HasSubstr("is applied twice"));
}

TEST(KernelSpecTest, APatchThatIsNotInCannotBeReverted) {
    EXPECT_THAT(spec_error("v4.7-rc7~prefetch-curr-exec-start"), HasSubstr("is not in"));
    EXPECT_THAT(spec_error("v3.18-rc5~6e998916dfe3"), HasSubstr("is not in"));
}

TEST(KernelSpecTest, APatchNeedsWhatItNeeds) {
    EXPECT_THAT(spec_error("v3.18-rc5+prefetch-curr-exec-start"),
                HasSubstr("prefetch-curr-exec-start needs update-curr-on-clock-read"));
    EXPECT_THAT(spec_error("v4.7-rc7+no-pending-runtime~update-curr-on-clock-read"),
                HasSubstr("no-pending-runtime needs update-curr-on-clock-read"));
    EXPECT_TRUE(parse_kernel_spec("v3.18-rc5+update-curr-on-clock-read+prefetch-curr-exec-start")
                    .has(prefetch_curr_exec_start));
}

TEST(KernelSpecTest, APatchDoesNotApplyToAnyVersion) {
    EXPECT_THAT(spec_error("v4.7-rc7+vmstat-quiet-on-idle"), HasSubstr("already"));
    EXPECT_THAT(spec_error("v4.7-rc7+hrtick-h-nr-running"),
                AllOf(HasSubstr("does not apply to v4.7-rc7"), HasSubstr("v4.8")));
}

TEST(KernelSpecTest, ConflictsAndTestPatchesAreHonoured) {
    const Patch placebo(PatchInfo{.slug = "a-placebo",
                                  .commit = "",
                                  .title = "nothing",
                                  .paragraph = "nothing",
                                  .applies_to = {KernelVersion::kV4_7Rc7},
                                  .conflicts = {"no-pending-runtime"}});
    EXPECT_TRUE(parse_kernel_spec("v4.7-rc7+a-placebo").has(placebo));
    EXPECT_THAT(spec_error("v4.7-rc7+a-placebo+no-pending-runtime"),
                HasSubstr("exclude each other"));
}

TEST(KernelSpecTest, ATestPatchIsGoneWithItsObject) {
    { const Patch p(PatchInfo{.slug = "short-lived", .commit = "", .title = "", .paragraph = ""}); }
    EXPECT_THAT(spec_error("v4.7-rc7+short-lived"), HasSubstr("unknown patch"));
}

TEST(KernelSpecTest, AnAmbiguousCommitIdListsWhatItFits) {
    const Patch p(
        PatchInfo{.slug = "look-alike", .commit = "6075620bffff", .title = "", .paragraph = ""});
    EXPECT_THAT(
        spec_error("v4.7-rc7+6075620b"),
        AllOf(HasSubstr("fits several"), HasSubstr("look-alike"), HasSubstr("6075620b0590")));
}

TEST(KernelSpecTest, WhatIsPlannedIsNotBuiltRatherThanUnknown) {
    for (const char* spec : {"v4.4", "v4.5-rc1", "v4.8", "v4.4+vmstat-quiet-on-idle",
                             "v4.4+vmstat-quiet-on-idle+quiet-vmstat-lighter",
                             "v4.5-rc1+schedstats-runtime", "v4.8+hrtick-h-nr-running"}) {
        EXPECT_THROW((void)parse_kernel_spec(spec), NotBuiltYet) << spec;
    }
    EXPECT_THROW((void)parse_kernel_spec("v4.7-rc7", {"PREEMPT=y"}), NotBuiltYet);
    EXPECT_THROW((void)parse_kernel_spec("v4.7-rc7", {}, {"maxcpus=1 sched_feat=HRTICK"}),
                 NotBuiltYet);
}

TEST(KernelSpecTest, ANotBuiltKernelDoesNotHideAnotherError) {
    EXPECT_THAT(spec_error("v4.4+quiet-vmstat-lighter"), HasSubstr("needs vmstat-quiet-on-idle"));
    EXPECT_THAT(spec_error("v4.8", {"HZZ=100"}), HasSubstr("unknown configuration option"));
}

TEST(KernelSpecTest, ConfigurationTakesThePrefixOrNot) {
    EXPECT_EQ(parse_kernel_spec("v4.7-rc7").hz(), 250);
    EXPECT_EQ(parse_kernel_spec("v4.7-rc7", {"HZ=1000"}).hz(), 1000);
    EXPECT_EQ(parse_kernel_spec("v4.7-rc7", {"CONFIG_HZ=100"}).hz(), 100);
    EXPECT_TRUE(parse_kernel_spec("v4.7-rc7").config_on("NUMA"));
    EXPECT_FALSE(parse_kernel_spec("v4.7-rc7").config_on("PREEMPT"));
}

TEST(KernelSpecTest, WrongConfigurationIsRefused) {
    EXPECT_THAT(spec_error("v4.7-rc7", {"SCHEDSTAT=n"}),
                AllOf(HasSubstr("unknown configuration option"),
                      HasSubstr("did you mean \"SCHEDSTATS\"?")));
    EXPECT_THAT(
        spec_error("v4.7-rc7", {"HZ=251"}),
        AllOf(HasSubstr("no such value"), HasSubstr("251"), HasSubstr("100, 250, 300, 1000")));
    EXPECT_THAT(spec_error("v4.7-rc7", {"HZ"}), HasSubstr("NAME=VALUE"));
    EXPECT_THAT(spec_error("v4.7-rc7", {"HZ="}), HasSubstr("NAME=VALUE"));
    EXPECT_THAT(spec_error("v4.7-rc7", {"HZ=100", "CONFIG_HZ=250"}), HasSubstr("given twice"));
}

TEST(KernelSpecTest, ScheduleStatisticsFollowVersionConfigurationAndBoot) {
    EXPECT_TRUE(parse_kernel_spec("v3.18-rc5").schedstats_on());
    EXPECT_FALSE(parse_kernel_spec("v3.18-rc5", {"SCHEDSTATS=n"}).schedstats_on());
    EXPECT_FALSE(parse_kernel_spec("v4.7-rc7").schedstats_on());
    EXPECT_TRUE(parse_kernel_spec("v4.7-rc7", {}, {"schedstats=enable"}).schedstats_on());
    EXPECT_FALSE(parse_kernel_spec("v4.7-rc7", {}, {"schedstats=disable"}).schedstats_on());
    EXPECT_FALSE(
        parse_kernel_spec("v4.7-rc7", {"SCHEDSTATS=n"}, {"schedstats=enable"}).schedstats_on());
}

TEST(KernelSpecTest, TicksAreSkewedOnRequest) {
    EXPECT_FALSE(parse_kernel_spec("v4.7-rc7").skew_tick());
    EXPECT_FALSE(parse_kernel_spec("v4.7-rc7", {}, {"skew_tick=0"}).skew_tick());
    EXPECT_TRUE(parse_kernel_spec("v4.7-rc7", {}, {"skew_tick=1"}).skew_tick());
}

TEST(KernelSpecTest, WrongBootParametersAreRefused) {
    EXPECT_THAT(spec_error("v3.18-rc5", {}, {"schedstats=enable"}),
                HasSubstr("v3.18-rc5 has no such boot parameter"));
    EXPECT_THAT(
        spec_error("v4.7-rc7", {}, {"schedstat=enable"}),
        AllOf(HasSubstr("unknown boot parameter"), HasSubstr("did you mean \"schedstats\"?")));
    EXPECT_THAT(spec_error("v4.7-rc7", {}, {"schedstats=on"}), HasSubstr("no such value"));
    EXPECT_THAT(spec_error("v4.7-rc7", {}, {"schedstats=enable  schedstats=disable"}),
                HasSubstr("given twice"));
}

TEST(KernelSpecTest, VersionsDifferInTheirLocks) {
    const KernelSpec before = parse_kernel_spec("v3.18-rc5"), after = parse_kernel_spec("v4.7-rc7");
    EXPECT_EQ(before.lock_kind(), LockKind::kTicket);
    EXPECT_EQ(after.lock_kind(), LockKind::kQueued);
    EXPECT_FALSE(before.prev_cputime_has_lock());
    EXPECT_TRUE(after.prev_cputime_has_lock());
    EXPECT_FALSE(before.cpuacct_charges_local());
    EXPECT_TRUE(after.cpuacct_charges_local());
}

TEST(PatchRangeTest, IsThePatchsParentAgainstItself) {
    EXPECT_TRUE(is_patch_range("6075620b0590^..6075620b0590"));
    EXPECT_FALSE(is_patch_range("v4.7-rc7"));
    const auto range = patch_range("6075620b0590^..6075620b0590");
    EXPECT_EQ(range.first, "v4.7-rc7");
    EXPECT_EQ(range.second, "v4.7-rc7+prefetch-curr-exec-start");
    EXPECT_EQ(patch_range("update-curr-on-clock-read").first, "v3.18-rc5");
    EXPECT_EQ(patch_range("update-curr-on-clock-read").second,
              "v3.18-rc5+update-curr-on-clock-read");
}

TEST(PatchRangeTest, OnAKernelThatHasThePatchItIsReverted) {
    const auto range = patch_range("update-curr-on-clock-read", "v4.7-rc7");
    EXPECT_EQ(range.first, "v4.7-rc7~update-curr-on-clock-read");
    EXPECT_EQ(range.second, "v4.7-rc7");
    const auto stacked = patch_range("prefetch-curr-exec-start", "v4.7-rc7+no-pending-runtime");
    EXPECT_EQ(stacked.second, "v4.7-rc7+no-pending-runtime+prefetch-curr-exec-start");
}

TEST(PatchRangeTest, MustBeginAtItsOwnParent) {
    EXPECT_THAT(message_of([] { (void)patch_range("6075620b0590^..6e998916dfe3"); }),
                HasSubstr("parent of the patch"));
    EXPECT_THAT(message_of([] { (void)patch_range("nothing^..nothing"); }),
                HasSubstr("unknown patch"));
}

}  // namespace
}  // namespace linefill::kernel

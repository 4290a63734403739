// SPDX-License-Identifier: Apache-2.0
// Moving and aligning members: what follows, what stays, what is refused.
#include <string>

#include <gtest/gtest.h>

#include "kernel/layout/layout.h"
#include "model/sim/error.h"
#include "tests/kernel/layout/message_of.h"

namespace linefill::kernel {
namespace {

Layout base() { return Layout::shipped("v4.7.4-x86_64"); }

// 8-aligned: a, inner {x, y}, a union of u and v, last. "outer" embeds it between two words.
constexpr const char* kSmall =
    "struct,field,offset,size,type\n"
    "inner,(sizeof),0,16,\n"
    "inner,x,0,8,\n"
    "inner,y,8,4,\n"
    "small,(sizeof),0,48,\n"
    "small,a,0,4,\n"
    "small,in,8,16,inner\n"
    "small,box,24,8,\n"
    "small,box.lo,24,4,\n"
    "small,box.hi,28,4,\n"
    "small,flag_a:bits0+1,32,1,\n"
    "small,flag_b:bits1+1,32,1,\n"
    "small,last,40,8,\n"
    "outer,(sizeof),0,64,\n"
    "outer,head,0,8,\n"
    "outer,body,8,48,small\n"
    "outer,tail,56,8,\n";

Layout small() { return Layout::parse(kSmall, "small.csv"); }

TEST(LayoutMove, OnlyTheNamedFieldMoves) {
    Layout layout = base();
    const auto before = layout.fields("rq");
    layout.move("rq", "clock", 2736);
    EXPECT_EQ(layout.offset("rq", "clock"), 2736U);
    EXPECT_EQ(layout.size_of("rq"), 2744U);
    for (const LayoutMember& member : before) {
        if (member.name != "clock") {
            EXPECT_EQ(layout.offset("rq", member.name), member.offset) << member.name;
        }
    }
    EXPECT_EQ(layout.field_at("rq", 2736), "clock");
    EXPECT_EQ(layout.field_at("rq", 2320), "");
}

TEST(LayoutMove, CopiesKeepTheirOwnPlaces) {
    const Layout original = base();
    Layout copy = original;
    copy.move("rq", "clock", 2736);
    EXPECT_EQ(original.offset("rq", "clock"), 2320U);
    EXPECT_EQ(base().offset("rq", "clock"), 2320U);
}

TEST(LayoutMove, InnerMembersMoveWithTheirParent) {
    Layout layout = base();
    layout.move("rq", "cfs", 2752);
    EXPECT_EQ(layout.offset("rq", "cfs.min_vruntime"), 2752U + 32);
    EXPECT_EQ(layout.offset("rq", "cfs.avg.load_avg"), 2752U + 120);
    EXPECT_EQ(layout.size_of("rq"), 2752U + 320);
    EXPECT_EQ(layout.field_at("rq", 2752 + 32), "cfs.min_vruntime");
    layout.move("signal_struct", "ioac", 1056);
    EXPECT_EQ(layout.offset("signal_struct", "ioac.wchar"), 1064U);
}

TEST(LayoutMove, AMemberOfAnEmbeddedStructureMovesWhereverItIsEmbedded) {
    Layout layout = base();
    layout.move("task_struct", "se.depth", 128 + 60);
    EXPECT_EQ(layout.offset("sched_entity", "depth"), 60U);
    EXPECT_EQ(layout.offset("task_struct", "se.depth"), 188U);
    // A structure may grow where there is room behind it.
    layout.move("kernel_stack", "thread_info.cpu", 40);
    EXPECT_EQ(layout.size_of("thread_info"), 48U);
    EXPECT_EQ(layout.size_of("kernel_stack", "thread_info"), 48U);
}

TEST(LayoutMove, AGrowingStructureMustNotReachItsNeighbour) {
    Layout layout = base();
    const std::string message = message_of([&] { layout.move("cfs_rq", "curr", 320); });
    EXPECT_NE(message.find("rq.cfs (bytes 112 to 439)"), std::string::npos) << message;
    EXPECT_NE(message.find("rq.rt"), std::string::npos) << message;
    EXPECT_EQ(layout.offset("cfs_rq", "curr"), 56U);
}

TEST(LayoutMove, OverlapsAreRefusedWithBothNames) {
    Layout layout = base();
    EXPECT_EQ(message_of([&] { layout.move_option("task_struct.pi_lock=1760"); }),
              "fields would overlap: task_struct.alloc_lock (bytes 1760 to 1763) and "
              "task_struct.pi_lock (bytes 1760 to 1763): --move task_struct.pi_lock=1760");
    EXPECT_EQ(layout.offset("task_struct", "pi_lock"), 1764U);
}

TEST(LayoutMove, PartnersOfAUnionMayOverlap) {
    Layout layout = base();
    ASSERT_EQ(layout.offset("sched_domain", "private"), layout.offset("sched_domain", "rcu"));
    layout.move("sched_domain", "private", layout.offset("sched_domain", "rcu") + 8);
    // Another member of that structure may not.
    EXPECT_THROW(layout.move("sched_domain", "name", layout.offset("sched_domain", "rcu")),
                 model::UserError);
}

TEST(LayoutMove, BitfieldsShareTheirByte) {
    Layout layout = small();
    layout.move("small", "flag_b", 36);
    EXPECT_EQ(layout.offset("small", "flag_b"), 36U);
    EXPECT_EQ(layout.offset("small", "flag_a"), 32U);
    layout.move("small", "flag_b", 32);
    EXPECT_THROW(layout.move("small", "a", 32), model::UserError);
}

TEST(LayoutMove, MisalignedAndImpossiblePlacesAreRefused) {
    Layout layout = base();
    EXPECT_NE(message_of([&] { layout.move("rq", "clock", 2737); }).find("a multiple of 8"),
              std::string::npos);
    EXPECT_NE(message_of([&] { layout.move("rq", "clock", 1U << 30U); }).find("below 1048576"),
              std::string::npos);
    EXPECT_NE(message_of([&] { layout.move("task_struct", "se.vruntime", 64); }).find("from 128"),
              std::string::npos);
    Layout tiny = small();
    EXPECT_NE(message_of([&] { tiny.move("small", "box.lo", 40); }).find("small.box"),
              std::string::npos);
    EXPECT_THROW(tiny.move("small", "nothing", 0), model::UserError);
}

TEST(LayoutMove, OptionsHaveTheirForm) {
    Layout layout = base();
    layout.move_option("rq.clock=0xab0");
    EXPECT_EQ(layout.offset("rq", "clock"), 2736U);
    for (const char* text : {"rq.clock", "rq=8", "rq.clock=", "rq.clock=-8", "rq.clock=8x", "=8",
                             ".clock=8", "rq.=8", "rq.clock=99999999999", "rq.clock=0x"}) {
        EXPECT_NE(message_of([&] { layout.move_option(text); }).find("struct.field=OFFSET"),
                  std::string::npos)
            << text;
    }
    for (const char* text : {"rq.clock=0", "rq.clock=48", "rq.clock=8192"}) {
        EXPECT_NE(message_of([&] { layout.align_option(text); }).find("a power of two"),
                  std::string::npos)
            << text;
    }
}

TEST(LayoutAlign, FollowingMembersMoveAsACompilerWouldPlaceThem) {
    Layout layout = base();
    layout.align("task_struct", "pi_lock", 64);
    EXPECT_EQ(layout.offset("task_struct", "alloc_lock"), 1760U);
    EXPECT_EQ(layout.offset("task_struct", "pi_lock"), 1792U);
    EXPECT_EQ(layout.offset("task_struct", "wake_q"), 1800U);
    // The FPU area keeps its own alignment, so the whole shift becomes one line at most.
    EXPECT_EQ(layout.offset("task_struct", "thread") % 64, 0U);
    EXPECT_EQ(layout.offset("task_struct", "thread.sp0"),
              layout.offset("task_struct", "thread") + 24);
    EXPECT_EQ(layout.size_of("task_struct") % 64, 0U);
    EXPECT_LE(layout.size_of("task_struct"), 6784U + 64);
    EXPECT_GE(layout.size_of("task_struct"), 6784U);
}

TEST(LayoutAlign, AHoleSwallowsTheShift) {
    Layout layout = base();
    // sched_entity.depth is followed by pointers, and 32 free bytes before the aligned averages.
    layout.align("sched_entity", "parent", 16);
    EXPECT_EQ(layout.offset("sched_entity", "parent"), 336U);
    EXPECT_EQ(layout.offset("sched_entity", "my_q"), 352U);
    EXPECT_EQ(layout.offset("sched_entity", "avg"), 384U);
    EXPECT_EQ(layout.size_of("sched_entity"), 448U);
    EXPECT_EQ(layout.size_of("task_struct"), 6784U);
}

TEST(LayoutAlign, StructureGrowsAndSoDoThoseThatEmbedIt) {
    Layout layout = small();
    layout.align("inner", "y", 16);
    EXPECT_EQ(layout.offset("inner", "y"), 16U);
    EXPECT_EQ(layout.size_of("inner"), 32U);
    EXPECT_EQ(layout.align_of("inner"), 16U);
    EXPECT_EQ(layout.offset("small", "in"), 16U);
    EXPECT_EQ(layout.offset("small", "in.y"), 32U);
    EXPECT_EQ(layout.offset("small", "box.hi"), 52U);
    EXPECT_EQ(layout.offset("small", "flag_b"), 56U);
    EXPECT_EQ(layout.offset("small", "last"), 64U);
    EXPECT_EQ(layout.size_of("small"), 80U);
    EXPECT_EQ(layout.offset("outer", "body"), 16U);
    EXPECT_EQ(layout.offset("outer", "body.in.y"), 48U);
    EXPECT_EQ(layout.offset("outer", "tail"), 96U);
    EXPECT_EQ(layout.size_of("outer"), 112U);
}

TEST(LayoutAlign, WhatIsAlignedStays) {
    Layout layout = base();
    const auto before = layout.fields("rq");
    layout.align("rq", "lock", 64);
    for (const LayoutMember& member : before) {
        EXPECT_EQ(layout.offset("rq", member.name), member.offset) << member.name;
    }
    EXPECT_EQ(layout.align_of("rq"), 64U);
    EXPECT_EQ(layout.size_of("rq"), 2752U);
}

// Aligning to what a member has anyway lays every structure out again, to the same places: so the
// rules by which members follow are those by which the reference was compiled.
TEST(LayoutAlign, RepackingWithoutAChangeChangesNothing) {
    for (const std::string& name : Layout::shipped_names()) {
        const Layout original = Layout::shipped(name);
        for (const std::string& structure : original.structs()) {
            const auto before = original.fields(structure);
            if (before.empty()) {
                continue;
            }
            Layout layout = original;
            layout.align(structure, before.front().name, 1);
            EXPECT_EQ(layout.size_of(structure), original.size_of(structure)) << structure;
            for (const LayoutMember& member : before) {
                ASSERT_EQ(layout.offset(structure, member.name), member.offset)
                    << name << " " << structure << "." << member.name;
            }
        }
    }
}

}  // namespace
}  // namespace linefill::kernel

// SPDX-License-Identifier: Apache-2.0
// Layout tables in CSV, ours and the reference's form, and what is wrong in damaged ones.
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "kernel/layout/layout.h"
#include "model/sim/error.h"

namespace linefill::kernel {
namespace {

const std::string kHeader = "struct,field,offset,size,type\n";
const std::string kReferenceHeader = "kernel,arch,struct,field,offset_bytes,size_bytes,source\n";

std::string error_of(const std::string& text) {
    try {
        (void)Layout::parse(text, "t.csv");
    } catch (const model::UserError& error) {
        return error.what();
    }
    return "no error";
}

TEST(LayoutCsv, ReadsTheReferenceForm) {
    const Layout layout =
        Layout::parse(kReferenceHeader +
                          "v1,x86_64,rq,(sizeof),0,32,compiled: here, and there\n"
                          "v1,x86_64,rq,(alignof),0,16,compiled: here, and there\n"
                          "v1,x86_64,rq,lock,0,2,compiled: here, and there\n"
                          "v1,x86_64,rq,cfs,8,16,compiled: here, and there\n"
                          "v1,x86_64,rq,cfs.load,16,8,compiled: here, and there\n"
                          "v1,x86_64,rq,a:bits3+2,24,1,compiled: here, and there\r\n",
                      "t.csv");
    EXPECT_EQ(layout.offset("rq", "cfs.load"), 16U);
    EXPECT_EQ(layout.offset("rq", "a"), 24U);
    EXPECT_EQ(layout.align_of("rq"), 16U);
    EXPECT_EQ(layout.source_of("rq"), "compiled: here, and there");
    EXPECT_EQ(layout.field_at("rq", 16), "cfs.load");
    EXPECT_EQ(layout.field_at("rq", 8), "cfs");
    const auto members = layout.fields("rq");
    ASSERT_EQ(members.size(), 4U);
    EXPECT_EQ(members[2].depth, 1);
    EXPECT_EQ(members[3].bit_start, 3);
    EXPECT_EQ(members[3].bit_width, 2);
}

TEST(LayoutCsv, LicenceAndCommentsMayStandInFront) {
    const Layout layout =
        Layout::parse("# a comment\n\n" + kHeader + "a,(sizeof),0,8,\na,x,0,8,", "t");
    EXPECT_EQ(layout.size_of("a"), 8U);
}

TEST(LayoutCsv, DamageIsFoundWithItsLine) {
    EXPECT_NE(error_of(kHeader).find("without a structure"), std::string::npos);
    EXPECT_EQ(error_of(kHeader + "a,(sizeof),0,8\n"), "t.csv:2: a row has 4 columns; expected 5");
    EXPECT_EQ(error_of(kHeader + "a,(sizeof),0,8,\na,x,zero,8,\n"),
              "t.csv:3: not an offset or a size: a.x = \"zero\"; expected a number of bytes, at "
              "most 1048576");
    EXPECT_NE(error_of(kHeader + "a,(sizeof),0,8,\na,x,-8,8,\n").find("t.csv:3"),
              std::string::npos);
    EXPECT_NE(error_of(kHeader + "a,(sizeof),0,8,\na,x,4294967296,8,\n").find("t.csv:3"),
              std::string::npos);
    EXPECT_NE(error_of(kHeader + "a,x,0,8,\n").find("without a (sizeof)"), std::string::npos);
    EXPECT_NE(error_of(kHeader + "a,(sizeof),0,8,\na,x,4,8,\n").find("behind the end"),
              std::string::npos);
    EXPECT_NE(error_of(kHeader + "a,(sizeof),0,8,\na,x,0,4,\na,x,4,4,\n").find("twice: \"a.x\""),
              std::string::npos);
    EXPECT_NE(error_of(kHeader + "a,(sizeof),0,8,\na,x:bits1,0,1,\n").find("bitfield"),
              std::string::npos);
    EXPECT_NE(error_of(kHeader + "a,(sizeof),0,12,\na,(alignof),0,8,\n").find("no multiple"),
              std::string::npos);
    EXPECT_NE(error_of("struct,offset\n").find("the header struct,field,offset,size,type"),
              std::string::npos);
}

TEST(LayoutCsv, OverlapsAreRefusedUnlessAShippedLayoutHasThem) {
    EXPECT_EQ(error_of(kHeader + "a,(sizeof),0,16,\na,x,0,8,\na,y,4,8,\n"),
              "t.csv: fields overlap: a.x and a.y");
    EXPECT_EQ(error_of(kHeader + "sched_domain,(sizeof),0,296,\nsched_domain,private,272,8,\n"
                                 "sched_domain,rcu,272,16,\n"),
              "no error");
}

}  // namespace
}  // namespace linefill::kernel

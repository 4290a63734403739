// SPDX-License-Identifier: Apache-2.0
// pahole text: what is printed is read back to the same fields, and text of pahole's own kind
// (unions, attributes, function pointers, bitfields, written-out structures) is understood.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "kernel/layout/layout.h"
#include "kernel/layout/pahole_print.h"
#include "model/sim/error.h"
#include "tests/kernel/layout/message_of.h"

namespace linefill::kernel {
namespace {

// Bits of members that are structures are in the members inside them.
void expect_same_fields(const Layout& expected, const Layout& actual,
                        const std::string& structure) {
    const auto before = expected.fields(structure);
    const auto after = actual.fields(structure);
    ASSERT_EQ(before.size(), after.size()) << structure;
    for (std::size_t row = 0; row < before.size(); ++row) {
        SCOPED_TRACE(structure + "." + before[row].name);
        EXPECT_EQ(before[row].name, after[row].name);
        EXPECT_EQ(before[row].offset, after[row].offset);
        EXPECT_EQ(before[row].size, after[row].size);
        EXPECT_EQ(before[row].type, after[row].type);
        EXPECT_EQ(before[row].bit_start, after[row].bit_start);
        EXPECT_EQ(before[row].bit_width, after[row].bit_width);
    }
    EXPECT_EQ(expected.size_of(structure), actual.size_of(structure));
}

TEST(Pahole, PrintedTextIsReadBackToTheSameFields) {
    for (const std::string& name : Layout::shipped_names()) {
        SCOPED_TRACE(name);
        const Layout layout = Layout::shipped(name);
        std::string all;
        for (const std::string& structure : layout.structs()) {
            const std::string text = print_pahole(layout, structure);
            const Layout read = Layout::parse(text, "one.txt");
            expect_same_fields(layout, read, structure);
            if (layout.align_of(structure) > 8) {
                EXPECT_EQ(layout.align_of(structure), read.align_of(structure)) << structure;
            }
            all += print_pahole(layout, structure, {.expand = false}) + "\n";
        }
        const Layout read = Layout::parse(all, "all.txt");
        for (const std::string& structure : layout.structs()) {
            expect_same_fields(layout, read, structure);
        }
    }
}

TEST(Pahole, PrintsSizesHolesAndCachelines) {
    const std::string text =
        print_pahole(Layout::shipped("v4.7.4-x86_64"), "sched_entity", {.expand = false});
    EXPECT_EQ(text,
              "struct sched_entity {\n"
              "\tstruct load_weight         load;                 /*     0    16 */\n"
              "\tstruct rb_node             run_node;             /*    16    24 */\n"
              "\tu8                         group_node[16];       /*    40    16 */\n"
              "\tu32                        on_rq;                /*    56     4 */\n"
              "\n"
              "\t/* XXX 4 bytes hole, try to pack */\n"
              "\n"
              "\t/* --- cacheline 1 boundary (64 bytes) --- */\n"
              "\tu64                        exec_start;           /*    64     8 */\n"
              "\tu64                        sum_exec_runtime;     /*    72     8 */\n"
              "\tu64                        vruntime;             /*    80     8 */\n"
              "\tu64                        prev_sum_exec_runtime; /*    88     8 */\n"
              "\tu64                        nr_migrations;        /*    96     8 */\n"
              "\tstruct sched_statistics    statistics;           /*   104   216 */\n"
              "\t/* --- cacheline 5 boundary (320 bytes) --- */\n"
              "\tu32                        depth;                /*   320     4 */\n"
              "\n"
              "\t/* XXX 4 bytes hole, try to pack */\n"
              "\n"
              "\tu64                        parent;               /*   328     8 */\n"
              "\tu64                        cfs_rq;               /*   336     8 */\n"
              "\tu64                        my_q;                 /*   344     8 */\n"
              "\n"
              "\t/* XXX 32 bytes hole, try to pack */\n"
              "\n"
              "\t/* --- cacheline 6 boundary (384 bytes) --- */\n"
              "\tstruct sched_avg           avg;                  /*   384    40 */\n"
              "\n"
              "\t/* size: 448, cachelines: 7, members: 15 */\n"
              "\t/* sum members: 384, holes: 3, sum holes: 40 */\n"
              "\t/* padding: 24 */\n"
              "} __attribute__((__aligned__(64)));\n");
}

TEST(Pahole, BoundaryInsideAMemberTellsHowFarAgo) {
    const std::string text =
        print_pahole(Layout::shipped("v4.7.4-x86_64"), "rq", {.expand = false});
    EXPECT_NE(text.find("\t/* --- cacheline 6 boundary (384 bytes) was 48 bytes ago --- */\n"
                        "\tstruct rt_rq               rt;                   /*   432  1744 */\n"
                        "\t/* --- cacheline 34 boundary (2176 bytes) --- */\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\t/* --- cacheline 35 boundary (2240 bytes) was 8 bytes ago --- */\n"),
              std::string::npos);
    EXPECT_NE(text.find("\t/* last cacheline: 48 bytes */\n"), std::string::npos);
}

TEST(Pahole, HeatColumnStandsBehindTheFiguresAndIsSkippedByTheReader) {
    const Layout layout = Layout::shipped("v4.7.4-x86_64");
    PaholeOptions options;
    options.heat_title = "loads";
    options.heat = [](const LayoutMember& member) {
        return member.name == "se.exec_start" ? std::string("12; /* 1 2 */ {") : std::string();
    };
    const std::string text = print_pahole(layout, "task_struct", options);
    EXPECT_NE(text.find("exec_start;           /*   192     8 */  12; /* 1 2 */ {\n"),
              std::string::npos);
    EXPECT_NE(text.find("/*  offset size */  loads\n"), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '{') - 1,
              std::count(text.begin(), text.end(), '}'));
    options.heat = [](const LayoutMember&) { return std::string("7"); };
    expect_same_fields(layout, Layout::parse(print_pahole(layout, "rq", options), "heat"), "rq");
}

// Written in the form of pahole 1.24, plain and with -E.
constexpr const char* kText =
    "struct inner {\n"
    "\tlong unsigned int          weight;               /*     0     8 */\n"
    "\tint                        inv;                  /*     8     4 */\n"
    "\n"
    "\t/* size: 16, cachelines: 1, members: 2 */\n"
    "\t/* padding: 4 */\n"
    "\t/* last cacheline: 16 bytes */\n"
    "};\n"
    "Some other line; a report may stand between.\n"
    "struct thing {\n"
    "\tvolatile long int          state;                /*     0     8 */\n"
    "\tstruct inner               load;                 /*     8    16 */\n"
    "\tstruct inner *             next;                 /*    24     8 */\n"
    "\tint                        (*call)(struct thing *, int); /*    32     8 */\n"
    "\tunion {\n"
    "\t\tstruct {\n"
    "\t\t\tint        low;                          /*    40     4 */\n"
    "\t\t\tint        high;                         /*    44     4 */\n"
    "\t\t};                                       /*    40     8 */\n"
    "\t\tlong int           both;                 /*    40     8 */\n"
    "\t};                                               /*    40     8 */\n"
    "\tunsigned int               first:1;              /*    48: 0  4 */\n"
    "\tunsigned int               tenth:2;              /*    48: 9  4 */\n"
    "\n"
    "\t/* XXX 21 bits hole, try to pack */\n"
    "\n"
    "\tunsigned int               :0;\n"
    "\n"
    "\tenum {\n"
    "\t\tRED = 0,\n"
    "\t\tBLACK = 1,\n"
    "\t} colour;                                        /*    52     4 */\n"
    "\t/* XXX 8 bytes hole, try to pack */\n"
    "\t/* --- cacheline 1 boundary (64 bytes) --- */\n"
    "\tlong int                   avg[3] __attribute__((__aligned__(64))); /*    64    24 */\n"
    "\t/* typedef spinlock_t */ struct spinlock {\n"
    "\t\tunion {\n"
    "\t\t\tstruct raw_spinlock rlock;               /*    88     4 */\n"
    "\t\t};                                       /*    88     4 */\n"
    "\t} lock;                                          /*    88     4 */\n"
    "\tstruct {\n"
    "\t\tchar               a;                    /*    92     1 */\n"
    "\t\tchar               b[3];                 /*    93     3 */\n"
    "\t} __attribute__((__aligned__(4))) box;           /*    92     4 */\n"
    "\tstruct {\n"
    "\t\tint                x;                    /*    96     4 */\n"
    "\t} many[4];                                       /*    96    16 */\n"
    "\tchar                       tail[0];              /*   112     0 */\n"
    "\n"
    "\t/* size: 128, cachelines: 2, members: 14 */\n"
    "\t/* forced alignments: 1, forced holes: 1, sum forced holes: 8 */\n"
    "} __attribute__((__aligned__(64)));\n";

TEST(Pahole, ReadsTheFormsThatPaholePrints) {
    const Layout layout = Layout::parse(kText, "thing.txt");
    EXPECT_EQ(layout.structs(), (std::vector<std::string>{"inner", "spinlock", "thing"}));
    EXPECT_EQ(layout.size_of("thing"), 128U);
    EXPECT_EQ(layout.align_of("thing"), 64U);
    EXPECT_EQ(layout.align_of("inner"), 8U);
    EXPECT_EQ(layout.offset("thing", "state"), 0U);
    EXPECT_EQ(layout.offset("thing", "load.inv"), 16U);
    EXPECT_FALSE(layout.has("thing", "next.weight"));
    EXPECT_EQ(layout.offset("thing", "call"), 32U);
    EXPECT_EQ(layout.offset("thing", "high"), 44U);
    EXPECT_EQ(layout.offset("thing", "both"), 40U);
    EXPECT_EQ(layout.offset("thing", "first"), 48U);
    EXPECT_EQ(layout.offset("thing", "tenth"), 49U);
    EXPECT_EQ(layout.offset("thing", "colour"), 52U);
    EXPECT_EQ(layout.offset("thing", "avg"), 64U);
    EXPECT_EQ(layout.offset("thing", "lock.rlock"), 88U);
    EXPECT_EQ(layout.offset("thing", "box.b"), 93U);
    EXPECT_EQ(layout.size_of("thing", "many"), 16U);
    EXPECT_FALSE(layout.has("thing", "many.x"));
    EXPECT_EQ(layout.size_of("thing", "tail"), 0U);
    EXPECT_EQ(layout.field_at("thing", 16), "load.inv");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, from.size(), to);
}

TEST(Pahole, BadTextIsRefusedWithItsLine) {
    const auto error = [](const std::string& text) {
        return message_of([&] { (void)Layout::parse(text, "bad.txt"); });
    };
    const std::string whole = kText;
    EXPECT_EQ(error(""),
              "bad.txt: no structure in the file; expected the output of "
              "`pahole -C rq,task_struct,... FILE`, or CSV");
    EXPECT_EQ(error(whole.substr(0, 700)).substr(0, 9), "bad.txt:1");
    EXPECT_NE(
        error(whole.substr(0, whole.find("\tint "))).find("ends inside a structure: \"inner\""),
        std::string::npos);
    EXPECT_NE(error(replaced(kText, "/*     8    16 */", ""))
                  .find("bad.txt:12: a member without an offset and a size"),
              std::string::npos);
    EXPECT_EQ(error(replaced(kText, "/*    24     8 */", "/*    16     8 */")),
              "bad.txt:13: fields overlap: load and next");
    EXPECT_NE(error(replaced(kText, "/* size: 128,", "/* size: 64,")).find("behind the end"),
              std::string::npos);
    EXPECT_NE(error(replaced(kText, "/* size: 16,", "/* sighs: 16,")).find("without its size"),
              std::string::npos);
    EXPECT_NE(error(replaced(kText, "/*     8    16 */", "/*     8    12 */"))
                  .find("inner of 16 bytes, and thing.load of 12"),
              std::string::npos);
}

TEST(Pahole, StructuresOfAFileReplaceThoseOfTheKernel) {
    Layout layout = Layout::shipped("v4.7.4-x86_64");
    std::string text = print_pahole(layout, "signal_struct");
    text =
        replaced(text, "} prev_cputime;                                  /*   472    24 */",
                 "} prev_cputime;                                  /*   472    24 */ /* same */");
    text = replaced(text, "sum_sched_runtime;    /*   664", "sum_sched_time;    /*   664");
    layout.load(text, "mine.txt");
    EXPECT_EQ(layout.name(), "v4.7.4-x86_64+mine.txt");
    EXPECT_TRUE(layout.has("signal_struct", "sum_sched_time"));
    EXPECT_FALSE(layout.has("signal_struct", "sum_sched_runtime"));
    EXPECT_EQ(layout.offset("task_struct", "pi_lock"), 1764U);
    EXPECT_EQ(layout.source_of("signal_struct"), "pahole: mine.txt");
}

TEST(Pahole, AFileThatChangesAnEmbeddedStructureMustBringWhatEmbedsIt) {
    Layout layout = Layout::shipped("v4.7.4-x86_64");
    Layout changed = layout;
    changed.align("sched_avg", "util_avg", 64);
    const std::string message = message_of(
        [&] { layout.load(print_pahole(changed, "sched_entity", {.expand = false}), "se.txt"); });
    EXPECT_NE(message.find("sched_avg is 40 bytes in v4.7.4-x86_64, but sched_entity.avg is 128"),
              std::string::npos)
        << message;
    EXPECT_EQ(layout.name(), "v4.7.4-x86_64");
    std::string both;
    for (const char* name : {"sched_avg", "sched_entity", "task_struct", "rq", "cfs_rq"}) {
        both += print_pahole(changed, name, {.expand = false});
    }
    layout.load(both, "se.txt");
    EXPECT_EQ(layout.offset("task_struct", "se.avg.util_avg"),
              changed.offset("task_struct", "se.avg.util_avg"));
}

}  // namespace
}  // namespace linefill::kernel

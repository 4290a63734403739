// SPDX-License-Identifier: Apache-2.0
// BTF, raw and in ELF: offsets to the byte, bitfields, arrays, what is nested; and files that are
// damaged, or something else.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include <bpf/btf.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "kernel/layout/layout.h"
#include "model/sim/error.h"
#include "tests/kernel/layout/message_of.h"

namespace linefill::kernel {
namespace {

using testing::HasSubstr;

/// Types that a test puts together, in the order in which their ids are used.
class BtfBuilder {
public:
    BtfBuilder() : types_(btf__new_empty()) {
        btf__set_pointer_size(types_, 8);
        int_type = integer("int", 4);
        long_type = integer("unsigned long", 8);
    }
    ~BtfBuilder() { btf__free(types_); }
    BtfBuilder(const BtfBuilder&) = delete;
    BtfBuilder& operator=(const BtfBuilder&) = delete;

    int integer(const char* name, std::size_t bytes) {
        return add(btf__add_int(types_, name, bytes, 0));
    }
    int pointer(int to) { return add(btf__add_ptr(types_, to)); }
    int array(int of, unsigned n) { return add(btf__add_array(types_, int_type, of, n)); }
    int type_def(const char* name, int of) { return add(btf__add_typedef(types_, name, of)); }
    int constant(int of) { return add(btf__add_const(types_, of)); }
    int structure(const char* name, unsigned bytes) {
        return add(btf__add_struct(types_, name, bytes));
    }
    int onion(const char* name, unsigned bytes) { return add(btf__add_union(types_, name, bytes)); }
    /// A member of the structure that was added last.
    void member(const char* name, int type, unsigned byte, unsigned bit = 0, unsigned bits = 0) {
        EXPECT_EQ(btf__add_field(types_, name, type, byte * 8 + bit, bits), 0);
    }
    std::string raw() const {
        __u32 size = 0;
        const void* data = btf__raw_data(types_, &size);
        return {static_cast<const char*>(data), size};
    }
    int int_type = 0, long_type = 0;

private:
    static int add(int id) {
        EXPECT_GT(id, 0);
        return id;
    }
    btf* types_;
};

/// As gcc would lay it out on x86-64:
///
///     struct inner { unsigned long a; int b; };
///     typedef struct { int counter; } count_t;
///     struct outer {
///         int first;
///         unsigned low : 3; unsigned : 2; unsigned high : 11;          // bytes 4 and 5
///         const struct inner in;                                       // 8
///         struct inner* next;                                          // 24
///         struct inner many[3];                                        // 32
///         union { unsigned long word; struct { int l, r; } parts; };   // 80
///         struct { int x; struct { int y; }; } plain;                  // 88
///         count_t count;                                               // 96
///         char tail[];                                                 // 100
///     };
std::string sample() {
    BtfBuilder b;
    const int byte = b.integer("char", 1);
    const int inner = b.structure("inner", 16);
    b.member("a", b.long_type, 0);
    b.member("b", b.int_type, 8);
    const int count = b.structure(nullptr, 4);
    b.member("counter", b.int_type, 0);
    const int count_t = b.type_def("count_t", count);
    const int parts = b.structure(nullptr, 8);
    b.member("l", b.int_type, 0);
    b.member("r", b.int_type, 4);
    const int choice = b.onion(nullptr, 8);
    b.member("word", b.long_type, 0);
    b.member("parts", parts, 0);
    const int unnamed = b.structure(nullptr, 4);
    b.member("y", b.int_type, 0);
    const int plain = b.structure(nullptr, 8);
    b.member("x", b.int_type, 0);
    b.member(nullptr, unnamed, 4);
    const int next = b.pointer(inner);
    const int many = b.array(inner, 3);
    const int tail = b.array(byte, 0);
    const int fixed = b.constant(inner);
    b.structure("outer", 104);
    b.member("first", b.int_type, 0);
    b.member("low", b.int_type, 4, 0, 3);
    b.member(nullptr, b.int_type, 4, 3, 2);
    b.member("high", b.int_type, 4, 5, 11);
    b.member("in", fixed, 8);
    b.member("next", next, 24);
    b.member("many", many, 32);
    b.member(nullptr, choice, 80);
    b.member("plain", plain, 88);
    b.member("count", count_t, 96);
    b.member("tail", tail, 100);
    return b.raw();
}

/// A 64-bit ELF file with nothing but the section.
std::string elf_with(const std::string& section, const std::string& content) {
    const std::string names = '\0' + section + '\0' + ".shstrtab" + '\0';
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_REL;
    head.e_machine = EM_X86_64;
    head.e_version = EV_CURRENT;
    head.e_ehsize = sizeof head;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = 3;
    head.e_shstrndx = 2;
    std::string file = content + names;
    file.resize((file.size() + 7) / 8 * 8);
    head.e_shoff = sizeof head + file.size();
    std::array<Elf64_Shdr, 3> sections{};
    sections[1].sh_name = 1;
    sections[1].sh_type = SHT_PROGBITS;
    sections[1].sh_offset = sizeof head;
    sections[1].sh_size = content.size();
    sections[1].sh_addralign = 1;
    sections[2].sh_name = static_cast<Elf64_Word>(section.size() + 2);
    sections[2].sh_type = SHT_STRTAB;
    sections[2].sh_offset = sizeof head + content.size();
    sections[2].sh_size = names.size();
    sections[2].sh_addralign = 1;
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + file +
           std::string(reinterpret_cast<const char*>(sections.data()), sizeof sections);
}

void expect_sample(const Layout& layout) {
    EXPECT_THAT(layout.structs(), testing::ElementsAre("count_t", "inner", "outer"));
    EXPECT_EQ(layout.size_of("outer"), 104U);
    struct Expected {
        const char* name;
        std::uint32_t offset, size;
        const char* type;
        int bit, width;
    };
    const std::array<Expected, 19> rows{{
        {"first", 0, 4, "", 0, 0},          {"low", 4, 1, "", 0, 3},
        {"high", 4, 2, "", 5, 11},          {"in", 8, 16, "inner", 0, 0},
        {"in.a", 8, 8, "", 0, 0},           {"in.b", 16, 4, "", 0, 0},
        {"next", 24, 8, "", 0, 0},          {"many", 32, 48, "", 0, 0},
        {"word", 80, 8, "", 0, 0},          {"parts", 80, 8, "", 0, 0},
        {"parts.l", 80, 4, "", 0, 0},       {"parts.r", 84, 4, "", 0, 0},
        {"plain", 88, 8, "", 0, 0},         {"plain.x", 88, 4, "", 0, 0},
        {"plain.y", 92, 4, "", 0, 0},       {"count", 96, 4, "count_t", 0, 0},
        {"count.counter", 96, 4, "", 0, 0}, {"tail", 100, 0, "", 0, 0},
        {nullptr, 0, 0, "", 0, 0},
    }};
    const auto fields = layout.fields("outer");
    ASSERT_EQ(fields.size(), rows.size() - 1);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        SCOPED_TRACE(rows[i].name);
        EXPECT_EQ(fields[i].name, rows[i].name);
        EXPECT_EQ(fields[i].offset, rows[i].offset);
        EXPECT_EQ(fields[i].size, rows[i].size);
        EXPECT_EQ(fields[i].type, rows[i].type);
        EXPECT_EQ(fields[i].bit_start, rows[i].bit);
        EXPECT_EQ(fields[i].bit_width, rows[i].width);
    }
}

TEST(Btf, ARawFileIsReadToTheByte) {
    expect_sample(Layout::parse(sample(), "kernel.btf"));
    EXPECT_EQ(Layout::parse(sample(), "kernel.btf").source_of("outer"), "BTF: kernel.btf");
}

TEST(Btf, TheSectionOfAnElfFileIsReadToTheByte) {
    expect_sample(Layout::parse(elf_with(".BTF", sample()), "vmlinux"));
}

TEST(Btf, AFileOnDiskIsLaidOverTheKernelsLayout) {
    BtfBuilder b;
    b.structure("prev_cputime", 24);
    b.member("lock", b.int_type, 16);
    b.member("utime", b.long_type, 0);
    b.member("stime", b.long_type, 8);
    const std::string path = testing::TempDir() + "linefill_" + std::to_string(getpid()) + ".btf";
    std::ofstream(path, std::ios::binary) << b.raw();
    LayoutOptions options;
    options.file = path;
    const Layout layout = Layout::resolve("v4.7-rc7", "x86_64", options);
    std::remove(path.c_str());
    EXPECT_EQ(layout.offset("prev_cputime", "lock"), 16U);
    const Layout shipped = Layout::for_kernel("v4.7-rc7", "x86_64");
    EXPECT_EQ(layout.offset("signal_struct", "prev_cputime.stime"),
              shipped.offset("signal_struct", "prev_cputime") + 8);
    EXPECT_EQ(layout.offset("task_struct", "pi_lock"), shipped.offset("task_struct", "pi_lock"));
}

TEST(Btf, AnEmbeddedStructureOfAnotherSizeIsRefused) {
    BtfBuilder b;
    b.structure("prev_cputime", 32);
    b.member("utime", b.long_type, 0);
    Layout layout = Layout::shipped("v4.7.4-x86_64");
    EXPECT_THAT(message_of([&] { layout.load(b.raw(), "x.btf"); }),
                HasSubstr("a structure has two sizes: prev_cputime"));
}

TEST(Btf, AStructureThatIsMissingIsNamedWithTheNearest) {
    const Layout layout = Layout::parse(sample(), "kernel.btf");
    EXPECT_THAT(message_of([&] { (void)layout.offset("outter", "first"); }),
                HasSubstr("did you mean \"outer\"?"));
    EXPECT_THAT(message_of([&] { (void)layout.offset("outer", "fist"); }),
                HasSubstr("did you mean \"first\"?"));
}

TEST(Btf, TheSameStructureSeenTwiceIsOneAndDifferentOnesOfANameAreWrittenOut) {
    BtfBuilder b;
    for (int i = 0; i < 2; ++i) {
        b.structure("same", 8);
        b.member("x", b.long_type, 0);
    }
    const int one = b.structure("state", 4);
    b.member("on", b.int_type, 0);
    const int other = b.structure("state", 8);
    b.member("off", b.long_type, 0);
    b.structure("user", 16);
    b.member("mine", one, 0);
    b.member("yours", other, 8);
    const Layout layout = Layout::parse(b.raw(), "x.btf");
    EXPECT_THAT(layout.structs(), testing::ElementsAre("same", "user"));
    EXPECT_EQ(layout.offset("user", "mine.on"), 0U);
    EXPECT_EQ(layout.offset("user", "yours.off"), 8U);
}

TEST(Btf, DifferentStructuresOfANameThatTheKernelNeedsAreRefused) {
    BtfBuilder b;
    b.structure("rq", 4);
    b.member("lock", b.int_type, 0);
    b.structure("rq", 8);
    b.member("lock", b.long_type, 0);
    b.structure("other", 8);
    b.member("x", b.long_type, 0);
    Layout layout = Layout::shipped("v4.7.4-x86_64");
    EXPECT_THAT(message_of([&] { layout.load(b.raw(), "x.btf"); }),
                HasSubstr("x.btf: different structures of one name: \"rq\""));
}

TEST(Btf, ABitfieldInTheOlderFormIsTheSame) {
    btf* types = btf__new_empty();
    // An integer type of 11 bits from bit 5 on; no interface makes one any more.
    ASSERT_GT(btf__add_int(types, "unsigned int", 4, 0), 0);
    auto* type = const_cast<btf_type*>(btf__type_by_id(types, 1));
    *reinterpret_cast<__u32*>(type + 1) = 5U << 16U | 11U;
    ASSERT_GT(btf__add_struct(types, "bits", 8), 0);
    ASSERT_EQ(btf__add_field(types, "high", 1, 32, 0), 0);
    __u32 size = 0;
    const void* data = btf__raw_data(types, &size);
    const std::string raw(static_cast<const char*>(data), size);
    btf__free(types);
    const auto fields = Layout::parse(raw, "old.btf").fields("bits");
    ASSERT_EQ(fields.size(), 1U);
    EXPECT_EQ(fields[0].offset, 4U);
    EXPECT_EQ(fields[0].size, 2U);
    EXPECT_EQ(fields[0].bit_start, 5);
    EXPECT_EQ(fields[0].bit_width, 11);
}

TEST(Btf, ATruncatedFileIsRefusedWhereverItEnds) {
    const std::string raw = sample();
    for (std::size_t bytes = 2; bytes < raw.size(); ++bytes) {
        const std::string message =
            message_of([&] { (void)Layout::parse(raw.substr(0, bytes), "cut.btf"); });
        ASSERT_THAT(message, HasSubstr("cut.btf: a damaged BTF file")) << bytes << " bytes";
    }
    const std::string elf = elf_with(".BTF", raw);
    for (std::size_t bytes = 4; bytes < elf.size(); bytes += 7) {
        const std::string message =
            message_of([&] { (void)Layout::parse(elf.substr(0, bytes), "cut.o"); });
        ASSERT_THAT(message, HasSubstr("cut.o: ")) << bytes << " bytes";
    }
}

TEST(Btf, DamagedBytesAreNeverMoreThanAUserError) {
    // Each byte in turn is changed; whatever comes of it must be a layout or a message.
    const std::string raw = sample();
    unsigned refused = 0;
    for (std::size_t at = 2; at < raw.size(); ++at) {
        for (const int change : {0x01, 0x80, 0xff}) {
            std::string damaged = raw;
            damaged[at] = static_cast<char>(damaged[at] ^ change);
            try {
                (void)Layout::parse(damaged, "bad.btf");
            } catch (const model::UserError& error) {
                EXPECT_THAT(error.what(), HasSubstr("bad.btf: "));
                ++refused;
            }
        }
    }
    EXPECT_GT(refused, raw.size());
}

TEST(Btf, WhatIsNotBtfIsRefused) {
    const auto error = [](std::string text) {
        return message_of([&] { (void)Layout::parse(text, "x"); });
    };
    std::string wrong = sample();
    wrong[0] = 'B';
    EXPECT_THAT(error(wrong), HasSubstr("x: a binary that is neither BTF nor ELF"));
    wrong[0] = '\xeb';
    wrong[1] = '\x9f';
    EXPECT_THAT(error(wrong), HasSubstr("x: BTF of a big-endian machine"));
    EXPECT_THAT(error(elf_with(".text", sample())),
                HasSubstr("x: an ELF file without a .BTF section"));
    BtfBuilder empty;
    EXPECT_THAT(error(empty.raw()), HasSubstr("x: no structure in the file"));
}

TEST(Btf, AMemberWhoseTypeIsInAnotherFileIsRefused) {
    BtfBuilder b;
    b.structure("of_a_module", 8);
    b.member("x", 1000, 0);
    EXPECT_THAT(message_of([&] { (void)Layout::parse(b.raw(), "module.btf"); }),
                HasSubstr("a module's is not complete by itself"));
}

// Facts of every 64-bit kernel of the last twenty years.
TEST(Btf, TheRunningKernelIsReadWhole) {
    const std::string path = "/sys/kernel/btf/vmlinux";
    if (access(path.c_str(), R_OK) != 0) GTEST_SKIP() << "this kernel shows no BTF";
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const Layout layout = Layout::parse(bytes, path);
    EXPECT_GT(layout.structs().size(), 1000U);
    EXPECT_EQ(layout.size_of("list_head"), 16U);
    EXPECT_EQ(layout.offset("list_head", "prev"), 8U);
    EXPECT_EQ(layout.size_of("rb_node"), 24U);
    EXPECT_EQ(layout.offset("rb_node", "rb_left"), 16U);
    EXPECT_EQ(layout.offset("task_struct", "se.vruntime"),
              layout.offset("task_struct", "se") + layout.offset("sched_entity", "vruntime"));
    EXPECT_EQ(layout.size_of("task_struct", "comm"), 16U);
}

}  // namespace
}  // namespace linefill::kernel

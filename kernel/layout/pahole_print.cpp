// SPDX-License-Identifier: Apache-2.0
// Writes pahole's text from the members of a layout.
#include "kernel/layout/pahole_print.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace linefill::kernel {

namespace {

// pahole's column widths: type, then name with its semicolon; a level of braces takes a tab from
// the type's.
constexpr std::size_t kTypeWidth = 26;
constexpr std::size_t kNameWidth = 22;
constexpr std::size_t kTabWidth = 8;
constexpr std::uint32_t kOrdinaryAlign = 8;

struct Totals {
    std::uint32_t members = 0;
    std::uint32_t member_bytes = 0;
    std::uint32_t bitfield_bits = 0;
    std::uint32_t holes = 0;
    std::uint32_t hole_bytes = 0;
    std::uint32_t end = 0;
};

std::string figures(std::uint32_t offset, std::uint32_t size) {
    char text[48];
    std::snprintf(text, sizeof text, "/* %5u %5u */", offset, size);
    return text;
}

std::string bit_figures(const LayoutMember& member) {
    char text[48];
    std::snprintf(text, sizeof text, "/* %5u:%2u %2u */", member.offset,
                  static_cast<unsigned>(member.bit_start), member.size);
    return text;
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

std::string_view last_part(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

class PaholePrinter {
public:
    PaholePrinter(const Layout& layout, std::string_view structure, const PaholeOptions& options)
        : layout_(layout),
          structure_(structure),
          options_(options),
          members_(layout.fields(structure)) {}

    std::string print() {
        text_ = "struct " + structure_ + " {\n";
        if (!options_.heat_title.empty()) {
            text_ += "\t" + padded("", kTypeWidth + 1 + kNameWidth) + "/*  offset size */  " +
                     options_.heat_title + "\n";
        }
        const Totals totals = print_level(0, members_.size(), 1);
        print_summary(totals);
        return std::move(text_);
    }

private:
    static std::string indent(int depth) {
        return std::string(static_cast<std::size_t>(depth), '\t');
    }

    static std::size_t narrowed(std::size_t width, int depth) {
        const std::size_t taken = kTabWidth * static_cast<std::size_t>(depth - 1);
        return width > taken ? width - taken : 0;
    }

    // The first row behind member `row` and all that is inside it.
    [[nodiscard]] std::size_t after(std::size_t row) const {
        std::size_t next = row + 1;
        while (next < members_.size() && members_[next].depth > members_[row].depth) {
            ++next;
        }
        return next;
    }

    [[nodiscard]] static std::uint64_t end_bit(const LayoutMember& member) {
        return std::uint64_t{member.offset} * 8 +
               (member.bit_width > 0 ? std::uint64_t{member.bit_start} + member.bit_width
                                     : std::uint64_t{member.size} * 8);
    }

    [[nodiscard]] static std::uint64_t begin_bit(const LayoutMember& member) {
        return std::uint64_t{member.offset} * 8 + member.bit_start;
    }

    // Prints the members [first, last), all inside the same braces.
    Totals print_level(std::size_t first, std::size_t last, int depth) {
        Totals totals;
        std::uint32_t end = first < last && depth > 1 ? members_[first].offset : 0;
        for (std::size_t row = first; row < last;) {
            const LayoutMember& member = members_[row];
            if (member.offset > end) {
                print_hole(member.offset - end, depth);
                ++totals.holes;
                totals.hole_bytes += member.offset - end;
            }
            std::uint64_t union_end = end_bit(member);
            std::size_t next = after(row);
            bool is_union = false;
            while (next < last && begin_bit(members_[next]) < union_end &&
                   end_bit(members_[next]) > begin_bit(members_[next])) {
                is_union = true;
                union_end = std::max(union_end, end_bit(members_[next]));
                next = after(next);
            }
            const auto byte_end = static_cast<std::uint32_t>((union_end + 7) / 8);
            if (is_union) {
                print_union(row, next, byte_end, depth);
            } else {
                print_member(row, depth);
            }
            ++totals.members;
            if (member.bit_width > 0 && !is_union) {
                totals.bitfield_bits += member.bit_width;
            } else {
                totals.member_bytes += byte_end - member.offset;
            }
            end = std::max(end, byte_end);
            row = next;
        }
        totals.end = end;
        return totals;
    }

    void print_hole(std::uint32_t bytes, int depth) {
        text_ += "\n" + indent(depth) + "/* XXX " + std::to_string(bytes) +
                 (bytes == 1 ? " byte" : " bytes") + " hole, try to pack */\n\n";
    }

    void print_boundary(std::uint32_t offset, int depth) {
        const std::uint32_t line = offset / options_.line_size;
        if (line <= last_line_) {
            return;
        }
        last_line_ = line;
        const std::uint32_t boundary = line * options_.line_size;
        text_ += indent(depth) + "/* --- cacheline " + std::to_string(line) + " boundary (" +
                 std::to_string(boundary) + " bytes)";
        if (offset != boundary) {
            text_ += " was " + std::to_string(offset - boundary) + " bytes ago";
        }
        text_ += " --- */\n";
    }

    void print_union(std::size_t row, std::size_t last, std::uint32_t end, int depth) {
        const std::uint32_t offset = members_[row].offset;
        print_boundary(offset, depth);
        text_ += indent(depth) + "union {\n";
        while (row < last) {
            print_member(row, depth + 1);
            row = after(row);
        }
        print_close("", offset, end - offset, depth, "");
    }

    void print_close(std::string_view name, std::uint32_t offset, std::uint32_t size, int depth,
                     const std::string& heat) {
        const std::string head =
            std::string("}") + (name.empty() ? "" : " ") + std::string(name) + ";";
        const std::size_t width = narrowed(kTypeWidth + 1 + kNameWidth, depth);
        text_ += indent(depth) + padded(head, width) + (head.size() < width ? "" : " ") +
                 figures(offset, size) + heat + "\n";
    }

    [[nodiscard]] std::string heat_of(const LayoutMember& member) const {
        const std::string heat = options_.heat ? options_.heat(member) : std::string();
        return heat.empty() ? heat : "  " + heat;
    }

    void print_member(std::size_t row, int depth) {
        const LayoutMember& member = members_[row];
        const std::string name(last_part(member.name));
        print_boundary(member.offset, depth);
        const std::string heat = heat_of(member);
        const bool is_opened = member.has_members && (options_.expand || member.type.empty());
        if (is_opened) {
            text_ +=
                indent(depth) + (member.type.empty() ? "struct" : "struct " + member.type) + " {\n";
            print_level(row + 1, after(row), depth + 1);
            print_close(name, member.offset, member.size, depth, heat);
            return;
        }
        std::string type;
        std::string declarator = name;
        if (!member.type.empty()) {
            type = "struct " + member.type;
        } else if (member.bit_width > 0) {
            type = member.bit_width > 8 ? "u32" : "u8";
            declarator += ":" + std::to_string(member.bit_width);
        } else if (member.size == 1 || member.size == 2 || member.size == 4 || member.size == 8) {
            type = "u" + std::to_string(member.size * 8);
        } else {
            type = "u8";
            declarator += "[" + std::to_string(member.size) + "]";
        }
        declarator += ";";
        const bool is_long = declarator.size() >= kNameWidth;
        text_ +=
            indent(depth) + padded(type, narrowed(kTypeWidth, depth)) + " " +
            padded(declarator, kNameWidth) + (is_long ? " " : "") +
            (member.bit_width > 0 ? bit_figures(member) : figures(member.offset, member.size)) +
            heat + "\n";
    }

    void print_summary(const Totals& totals) {
        const std::uint32_t size = layout_.size_of(structure_);
        const std::uint32_t lines = (size + options_.line_size - 1) / options_.line_size;
        text_ += "\n\t/* size: " + std::to_string(size) + ", cachelines: " + std::to_string(lines) +
                 ", members: " + std::to_string(totals.members) + " */\n";
        if (totals.holes > 0) {
            text_ += "\t/* sum members: " + std::to_string(totals.member_bytes) +
                     ", holes: " + std::to_string(totals.holes) +
                     ", sum holes: " + std::to_string(totals.hole_bytes) + " */\n";
        }
        if (totals.bitfield_bits > 0) {
            text_ +=
                "\t/* sum bitfield members: " + std::to_string(totals.bitfield_bits) + " bits */\n";
        }
        if (size > totals.end) {
            text_ += "\t/* padding: " + std::to_string(size - totals.end) + " */\n";
        }
        if (size % options_.line_size != 0) {
            text_ +=
                "\t/* last cacheline: " + std::to_string(size % options_.line_size) + " bytes */\n";
        }
        const std::uint32_t align = layout_.align_of(structure_);
        text_ += align > kOrdinaryAlign
                     ? "} __attribute__((__aligned__(" + std::to_string(align) + ")));\n"
                     : std::string("};\n");
    }

    const Layout& layout_;
    std::string structure_;
    const PaholeOptions& options_;
    std::vector<LayoutMember> members_;
    std::string text_;
    std::uint32_t last_line_ = 0;
};

}  // namespace

std::string print_pahole(const Layout& layout, std::string_view structure,
                         const PaholeOptions& options) {
    return PaholePrinter(layout, structure, options).print();
}

}  // namespace linefill::kernel

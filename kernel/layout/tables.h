// SPDX-License-Identifier: Apache-2.0
// The plain data behind a Layout: structures, their fields and what they were compiled with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linefill::kernel {

/// One member of a structure. All figures are bytes from the start of that structure.
struct LayoutField {
    /// Dotted below a member that is a structure without a table of its own ("ioac.rchar").
    std::string name;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    /// The structure of the tables that this member is; empty for all others.
    std::string type;
    /// A bitfield: first bit counted from `offset`, and width; width 0 for a whole member.
    std::uint8_t bit_start = 0;
    std::uint8_t bit_width = 0;

    [[nodiscard]] std::uint32_t end() const { return offset + size; }
};

/// One structure. Rows of embedded structures that have a table are not repeated here.
struct LayoutStruct {
    std::string name;
    std::uint32_t size = 0;
    /// In bytes; inferred from the members when the source does not tell.
    std::uint32_t align = 0;
    /// The file it came from, and that file's own statement of where the figures are from.
    std::string origin;
    std::string source;
    /// The source tells unions from structures, so what overlaps is meant to.
    bool are_unions_known = false;
    /// By offset; equal offsets by depth (a member stands before those inside it), then in the order
    /// of the source (the partners of a union).
    std::vector<LayoutField> fields;

    [[nodiscard]] const LayoutField* find(std::string_view field) const;
    /// To be called after any change of `fields`: restores the order and the search by name, and
    /// fills in an unknown alignment.
    void finish();

private:
    std::vector<std::uint16_t> by_name_;
};

/// All structures of one kernel, architecture and configuration.
struct LayoutTables {
    /// "v4.7.4-x86_64", or the user's file.
    std::string name;
    std::string kernel;
    std::string arch;
    std::string source;
    /// Options that the source names, without CONFIG_, sorted by name.
    std::vector<std::pair<std::string, std::string>> config;
    /// Names that several different structures of the source have; none of them has a table. Sorted.
    std::vector<std::string> ambiguous;
    /// The file that the user loaded on top; empty without one.
    std::string user_file;
    /// Sorted by name.
    std::vector<LayoutStruct> structs;

    [[nodiscard]] const LayoutStruct* find(std::string_view structure) const;
    [[nodiscard]] LayoutStruct* find(std::string_view structure);
    /// The structure, or UserError with the nearest name.
    [[nodiscard]] const LayoutStruct& get(std::string_view structure) const;
    /// Adds a structure, or replaces the one of that name.
    void put(LayoutStruct structure);
};

/// Where a dotted path ends: the innermost structure that has a table, the row there, and the
/// offset of that structure inside the one where the path began.
struct LayoutPlace {
    const LayoutStruct* owner = nullptr;
    const LayoutField* field = nullptr;
    std::uint32_t base = 0;
};

/// Follows `path` from `structure` through embedded structures; field is null if there is none.
[[nodiscard]] LayoutPlace find_place(const LayoutTables& tables, const LayoutStruct& structure,
                                     std::string_view path);

/// The same, or UserError that names structure, field and the nearest known path.
[[nodiscard]] LayoutPlace get_place(const LayoutTables& tables, std::string_view structure,
                                    std::string_view path);

/// The alignment that a compiler would have given to the field: that of its structure, else the
/// largest power of two, up to 8, that divides its offset and size.
[[nodiscard]] std::uint32_t natural_align(const LayoutTables& tables, const LayoutField& field);

/// The dotted path of the member that `field` lies in, or an empty view.
[[nodiscard]] std::string_view parent_of(const LayoutStruct& structure, const LayoutField& field);

[[nodiscard]] constexpr std::uint32_t align_up(std::uint32_t value, std::uint32_t align) {
    return (value + align - 1) / align * align;
}

/// Reads `struct,field,offset,size,type` (ours) or the reference form
/// `kernel,arch,struct,field,offset_bytes,size_bytes,source`. `origin` names the file in errors.
[[nodiscard]] LayoutTables parse_layout_csv(std::string_view text, std::string_view origin);

/// Adds the rows of `layouts,struct,field,offset,size,type,tag,source` whose `layouts` pattern
/// matches the name of `tables`.
void add_supplement(LayoutTables& tables, std::string_view text, std::string_view origin);

/// Lays the structures of `file` over those of `tables`. UserError if an embedded structure would
/// then have two sizes, or one that is in `tables` is ambiguous in the file.
void overlay(LayoutTables& tables, LayoutTables file);

}  // namespace linefill::kernel

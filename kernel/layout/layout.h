// SPDX-License-Identifier: Apache-2.0
// Where the fields of kernel structures lie, for one kernel version, architecture and configuration.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/layout/tables.h"

namespace linefill::kernel {

/// `--config` overrides: option name without CONFIG_, and value.
using ConfigValues = std::vector<std::pair<std::string, std::string>>;

/// What the command line may say about layouts; see Layout::resolve.
struct LayoutOptions {
    /// `--layout FILE`: pahole text, BTF (raw, or in ELF) or CSV. Empty: none.
    std::string file;
    /// `--layout-of NAME`: a shipped layout, or "defconfig" for the kernel's own although a
    /// `--config` would move its fields. Empty: none.
    std::string layout_of;
    /// `--align struct.field=N` and `--move struct.field=OFFSET`, in the order given.
    std::vector<std::string> aligns;
    std::vector<std::string> moves;
    /// Overrides of the kernel's default configuration.
    ConfigValues config;
};

/// One member as Layout::fields lists it.
struct LayoutMember {
    /// The dotted path from the structure asked for.
    std::string name;
    /// Bytes from the start of that structure.
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    /// The structure that this member is, if it has a table; else empty.
    std::string type;
    /// 0 for a direct member, 1 for a member of an embedded structure, ...
    int depth = 0;
    std::uint8_t bit_start = 0;
    std::uint8_t bit_width = 0;
    /// Other members follow that lie inside this one.
    bool has_members = false;
};

/// Offsets and sizes in bytes. Paths are dotted and go through embedded structures:
/// offset("task_struct", "se.avg.load_avg"). Copies share their tables and are cheap; a change
/// (move, align, load) affects only the object it is called on. Constant calls may run in parallel.
///
/// An unknown structure or field is a UserError that names the nearest known one.
class Layout {
public:
    /// The shipped layout that stands for a kernel version: ("v4.7-rc7", "x86_64"). UserError for
    /// an unknown version, and for a pair that no shipped layout fits.
    [[nodiscard]] static Layout for_kernel(std::string_view version, std::string_view arch);
    /// A shipped layout by its own name, such as "v4.7.4-x86_64".
    [[nodiscard]] static Layout shipped(std::string_view name);
    [[nodiscard]] static std::vector<std::string> shipped_names();
    /// Everything the command line says, in this order: the layout of the kernel or of
    /// `layout_of`, the file on top (or alone, for a kernel without a shipped layout), the check of the configuration, aligns, moves.
    [[nodiscard]] static Layout resolve(std::string_view version, std::string_view arch,
                                        const LayoutOptions& options);
    /// A layout of nothing but the text: pahole output, BTF or CSV.
    [[nodiscard]] static Layout parse(std::string_view text, std::string_view file);

    /// "v4.7.4-x86_64", with "+FILE" after a load.
    [[nodiscard]] std::string name() const;
    [[nodiscard]] const std::string& kernel() const { return tables_->kernel; }
    [[nodiscard]] const std::string& arch() const { return tables_->arch; }
    /// What the figures of a structure were taken from.
    [[nodiscard]] const std::string& source_of(std::string_view structure) const;
    /// Names of all structures, sorted.
    [[nodiscard]] std::vector<std::string> structs() const;

    [[nodiscard]] bool has(std::string_view structure) const;
    [[nodiscard]] bool has(std::string_view structure, std::string_view field) const;
    [[nodiscard]] std::uint32_t offset(std::string_view structure, std::string_view field) const;
    [[nodiscard]] std::uint32_t size_of(std::string_view structure) const;
    [[nodiscard]] std::uint32_t size_of(std::string_view structure, std::string_view field) const;
    [[nodiscard]] std::uint32_t align_of(std::string_view structure) const;

    /// The innermost member that covers the byte at `offset`, first of equals; an empty string for
    /// a hole and behind the end. An index into an array is not shown.
    [[nodiscard]] std::string field_at(std::string_view structure, std::uint32_t offset) const;

    /// All members, those of embedded structures included, by offset; a member stands directly
    /// before the members inside it.
    [[nodiscard]] std::vector<LayoutMember> fields(std::string_view structure) const;

    /// Puts one member at another offset of its structure, with all that is inside it; every other
    /// member stays. The structure grows if the member's end lies behind it, and never shrinks. A
    /// member of an embedded structure moves wherever that structure is embedded, as it would in
    /// C, so `task_struct.se.vruntime` and `sched_entity.vruntime` move together. UserError if the
    /// member would overlap one that it did not overlap before (partners of a union may), would
    /// leave the member that it is inside of, or is misaligned for its size.
    void move(std::string_view structure, std::string_view field, std::uint32_t offset);

    /// Gives one member at least the alignment `align` (a power of two up to 4096), as the
    /// compiler does for an alignment attribute: the member goes to the next multiple, the members
    /// behind it follow in order at their own alignment (so a hole may swallow the shift), and
    /// alignment and size of the structure grow, and with it those that embed it.
    void align(std::string_view structure, std::string_view field, std::uint32_t align);

    /// The same from an option's text: "task_struct.pi_lock=1792" (decimal, or hexadecimal with
    /// 0x). `option` is named in errors.
    void move_option(std::string_view text, std::string_view option = "--move");
    void align_option(std::string_view text, std::string_view option = "--align");

    /// Lays structures from pahole text, BTF or CSV over the present ones.
    void load(std::string_view text, std::string_view file);
    /// The same from a file's name.
    void load_file(const std::string& path);

    /// The configuration that the tables were compiled with, as far as it is known: named by their
    /// source, or told by the presence of a field. Sorted by name.
    [[nodiscard]] ConfigValues config() const;
    /// UserError if an override is unknown, has no such value, or would move fields of this layout.
    /// A layout that the user has chosen by name (`--layout-of`) may differ from the overrides.
    void check_config(const ConfigValues& overrides, bool is_chosen = false) const;

    [[nodiscard]] const LayoutTables& tables() const { return *tables_; }

private:
    explicit Layout(std::shared_ptr<const LayoutTables> tables);

    std::shared_ptr<const LayoutTables> tables_;
};

/// "CONFIG_HZ=250" or "HZ=250" as (name, value). Only the form is checked.
[[nodiscard]] std::pair<std::string, std::string> parse_config_override(std::string_view text);

/// The kernel versions that have a layout on some architecture, oldest first.
[[nodiscard]] std::vector<std::string> layout_kernel_versions();

}  // namespace linefill::kernel

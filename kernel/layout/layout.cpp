// SPDX-License-Identifier: Apache-2.0
// Looks fields up by path and by offset, and puts a layout together from the command line's words.
#include "kernel/layout/layout.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "kernel/layout/btf_parse.h"
#include "kernel/layout/pahole_parse.h"
#include "kernel/layout/place.h"
#include "kernel/layout/shipped.h"
#include "model/sim/error.h"

namespace linefill::kernel {

using model::UserError;

namespace {

constexpr std::string_view kDefconfig = "defconfig";
constexpr std::uint32_t kLargestAlign = 4096;

class FieldLister {
public:
    explicit FieldLister(const LayoutTables& tables) : tables_(tables) {}

    void add(const LayoutStruct& structure, const std::string& prefix, std::uint32_t base,
             int depth) {
        add_level(structure, {}, prefix, base, depth);
    }

    std::vector<LayoutMember> members;

private:
    // Members that lie directly in `parent` (an empty path: in the structure itself), each followed
    // by what is inside it.
    void add_level(const LayoutStruct& structure, std::string_view parent,
                   const std::string& prefix, std::uint32_t base, int depth) {
        for (const LayoutField& field : structure.fields) {
            if (parent_of(structure, field) != parent) {
                continue;
            }
            LayoutMember member;
            member.name = prefix + field.name;
            member.offset = base + field.offset;
            member.size = field.size;
            member.depth = depth;
            member.bit_start = field.bit_start;
            member.bit_width = field.bit_width;
            const LayoutStruct* type = field.type.empty() ? nullptr : tables_.find(field.type);
            member.type = type == nullptr ? std::string() : field.type;
            const std::size_t index = members.size();
            members.push_back(std::move(member));
            if (type != nullptr) {
                add(*type, prefix + field.name + ".", base + field.offset, depth + 1);
            } else {
                add_level(structure, field.name, prefix, base, depth + 1);
            }
            members[index].has_members = members.size() > index + 1;
        }
    }

    const LayoutTables& tables_;
};

// Appends the path of the innermost member at `offset`; false if no member covers it.
bool add_path_at(const LayoutTables& tables, const LayoutStruct& structure, std::uint32_t offset,
                 std::string& path) {
    const LayoutField* best = nullptr;
    std::ptrdiff_t best_depth = 0;
    for (const LayoutField& field : structure.fields) {
        if (field.offset > offset) {
            break;
        }
        const bool is_bit_there =
            field.bit_width == 0 ||
            ((offset - field.offset) * 8 < std::uint32_t{field.bit_start} + field.bit_width &&
             (offset - field.offset + 1) * 8 > field.bit_start);
        if (offset >= field.end() || !is_bit_there) {
            continue;
        }
        const auto depth = std::count(field.name.begin(), field.name.end(), '.');
        if (best == nullptr || depth > best_depth) {
            best = &field;
            best_depth = depth;
        }
    }
    if (best == nullptr) {
        return false;
    }
    path += best->name;
    const LayoutStruct* type = best->type.empty() ? nullptr : tables.find(best->type);
    if (type != nullptr) {
        path += '.';
        if (!add_path_at(tables, *type, offset - best->offset, path)) {
            path.pop_back();
        }
    }
    return true;
}

struct PlaceOption {
    std::string_view structure;
    std::string_view field;
    std::uint32_t number = 0;
};

PlaceOption parse_place(std::string_view text, std::string_view option, std::string_view form) {
    PlaceOption result;
    const std::size_t equals = text.find('=');
    const std::size_t dot = text.find('.');
    const auto error = [&] {
        return UserError("not a place in a structure")
            .key(std::string(option))
            .value(std::string(text))
            .expected(std::string(form));
    };
    if (equals == std::string_view::npos || dot == std::string_view::npos || dot > equals ||
        dot == 0 || dot + 1 == equals) {
        throw error();
    }
    result.structure = text.substr(0, dot);
    result.field = text.substr(dot + 1, equals - dot - 1);
    std::string_view number = text.substr(equals + 1);
    const bool is_hex = number.size() > 2 && number[0] == '0' && (number[1] | 0x20) == 'x';
    number.remove_prefix(is_hex ? 2 : 0);
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(),
                                             result.number, is_hex ? 16 : 10);
    if (code != std::errc() || end != number.data() + number.size()) {
        throw error();
    }
    return result;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        throw UserError("cannot read the layout")
            .file(path)
            .expected("a file of BTF, pahole output or CSV");
    }
    return text.str();
}

LayoutTables parse_any(std::string_view text, std::string_view file) {
    if (looks_like_btf(text)) {
        return parse_btf(text, file);
    }
    if (text.find('\0') != std::string_view::npos) {
        throw UserError("a binary that is neither BTF nor ELF")
            .file(std::string(file))
            .expected(
                "BTF, ELF with a .BTF section, CSV, or the output of `pahole -C rq,... FILE`");
    }
    std::string_view line = text;
    while (!line.empty() && (line[0] == '#' || line[0] == '\n' || line[0] == '\r')) {
        const std::size_t end = line.find('\n');
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
    const bool is_csv = line.starts_with("struct,") || line.starts_with("kernel,");
    return is_csv ? parse_layout_csv(text, file) : parse_pahole(text, file);
}

// CSV does not tell unions from mistakes; an overlap is a union if some shipped layout has it too.
bool is_known_union(const LayoutStruct& structure) {
    const std::vector<std::string> names = Layout::shipped_names();
    return std::any_of(names.begin(), names.end(), [&structure](const std::string& name) {
        const LayoutStruct* known = shipped_tables(name)->find(structure.name);
        return known != nullptr && !first_new_overlap(*known, structure);
    });
}

void refuse_overlaps(const LayoutTables& file) {
    for (const LayoutStruct& structure : file.structs) {
        if (structure.are_unions_known) continue;
        const auto overlap = first_overlap(structure);
        if (overlap && !is_known_union(structure)) {
            throw UserError("fields overlap: " + structure.name + "." + overlap->first + " and " +
                            structure.name + "." + overlap->second)
                .file(file.name);
        }
    }
}

}  // namespace

Layout::Layout(std::shared_ptr<const LayoutTables> tables) : tables_(std::move(tables)) {}

Layout Layout::parse(std::string_view text, std::string_view file) {
    LayoutTables tables = parse_any(text, file);
    tables.name = file;
    refuse_overlaps(tables);
    tables.user_file = file;
    return Layout(std::make_shared<const LayoutTables>(std::move(tables)));
}

Layout Layout::resolve(std::string_view version, std::string_view arch,
                       const LayoutOptions& options) {
    const bool is_named = !options.layout_of.empty() && options.layout_of != kDefconfig;
    Layout layout = [&] {
        if (!is_named) {
            const bool is_alone = !options.file.empty() && find_layout(version, arch).empty();
            return is_alone ? Layout(std::make_shared<const LayoutTables>())
                            : for_kernel(version, arch);
        }
        if (shipped_tables(options.layout_of) == nullptr) {
            std::vector<std::string> names = shipped_names();
            names.emplace_back(kDefconfig);
            throw UserError("unknown layout")
                .key("--layout-of")
                .value(options.layout_of)
                .expected("defconfig, or a name such as " + names.front())
                .nearest(options.layout_of, names);
        }
        Layout named = shipped(options.layout_of);
        if (named.arch() != normal_arch(arch)) {
            throw UserError("a layout of another architecture")
                .key("--layout-of")
                .value(options.layout_of)
                .expected("one for " + std::string(arch));
        }
        return named;
    }();
    if (!options.file.empty()) {
        layout.load_file(options.file);
    }
    // Whoever names a layout has chosen it; then only names and values are checked.
    layout.check_config(options.config, !options.layout_of.empty());
    for (const std::string& text : options.aligns) {
        layout.align_option(text);
    }
    for (const std::string& text : options.moves) {
        layout.move_option(text);
    }
    return layout;
}

std::string Layout::name() const {
    return tables_->user_file.empty() || tables_->user_file == tables_->name
               ? tables_->name
               : tables_->name + "+" + tables_->user_file;
}

const std::string& Layout::source_of(std::string_view structure) const {
    return tables_->get(structure).source;
}

std::vector<std::string> Layout::structs() const {
    std::vector<std::string> names;
    names.reserve(tables_->structs.size());
    for (const LayoutStruct& structure : tables_->structs) {
        names.push_back(structure.name);
    }
    return names;
}

bool Layout::has(std::string_view structure) const { return tables_->find(structure) != nullptr; }

bool Layout::has(std::string_view structure, std::string_view field) const {
    const LayoutStruct* found = tables_->find(structure);
    return found != nullptr && find_place(*tables_, *found, field).field != nullptr;
}

std::uint32_t Layout::offset(std::string_view structure, std::string_view field) const {
    const LayoutPlace place = get_place(*tables_, structure, field);
    return place.base + place.field->offset;
}

std::uint32_t Layout::size_of(std::string_view structure) const {
    return tables_->get(structure).size;
}

std::uint32_t Layout::size_of(std::string_view structure, std::string_view field) const {
    return get_place(*tables_, structure, field).field->size;
}

std::uint32_t Layout::align_of(std::string_view structure) const {
    return tables_->get(structure).align;
}

std::string Layout::field_at(std::string_view structure, std::uint32_t offset) const {
    std::string path;
    add_path_at(*tables_, tables_->get(structure), offset, path);
    return path;
}

std::vector<LayoutMember> Layout::fields(std::string_view structure) const {
    FieldLister lister(*tables_);
    lister.add(tables_->get(structure), "", 0, 0);
    return std::move(lister.members);
}

void Layout::move(std::string_view structure, std::string_view field, std::uint32_t offset) {
    LayoutTables changed = *tables_;
    move_field(changed, structure, field, offset);
    tables_ = std::make_shared<const LayoutTables>(std::move(changed));
}

void Layout::align(std::string_view structure, std::string_view field, std::uint32_t align) {
    LayoutTables changed = *tables_;
    align_field(changed, structure, field, align);
    tables_ = std::make_shared<const LayoutTables>(std::move(changed));
}

void Layout::move_option(std::string_view text, std::string_view option) {
    const PlaceOption place = parse_place(text, option, "struct.field=OFFSET");
    try {
        move(place.structure, place.field, place.number);
    } catch (UserError& error) {
        throw error.key(std::string(option) + " " + std::string(text));
    }
}

void Layout::align_option(std::string_view text, std::string_view option) {
    const PlaceOption place = parse_place(text, option, "struct.field=BYTES");
    const std::uint32_t number = place.number;
    if (number == 0 || number > kLargestAlign || (number & (number - 1)) != 0) {
        throw UserError("not an alignment")
            .key(std::string(option))
            .value(std::string(text))
            .expected("a power of two from 1 to " + std::to_string(kLargestAlign));
    }
    try {
        align(place.structure, place.field, number);
    } catch (UserError& error) {
        throw error.key(std::string(option) + " " + std::string(text));
    }
}

void Layout::load(std::string_view text, std::string_view file) {
    LayoutTables changed = *tables_;
    LayoutTables loaded = parse_any(text, file);
    loaded.name = file;
    refuse_overlaps(loaded);
    overlay(changed, std::move(loaded));
    tables_ = std::make_shared<const LayoutTables>(std::move(changed));
}

void Layout::load_file(const std::string& path) { load(read_file(path), path); }

}  // namespace linefill::kernel

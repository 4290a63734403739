// SPDX-License-Identifier: Apache-2.0
// Searching and joining layout tables.
#include "kernel/layout/tables.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "model/sim/error.h"

namespace linefill::kernel {

using model::UserError;

namespace {

constexpr std::uint32_t kLargestNatural = 8;

std::uint32_t divisor_power(std::uint32_t value) {
    return value == 0 ? kLargestNatural : std::min(value & (~value + 1), kLargestNatural);
}

// A file without alignments (pahole prints only unusual ones) gets what its members ask for.
std::uint32_t inferred_align(const LayoutStruct& structure) {
    std::uint32_t align = 1;
    for (const LayoutField& field : structure.fields) {
        const std::uint32_t own = std::min(divisor_power(field.offset), divisor_power(field.size));
        align = field.size == 0 ? align : std::max(align, own);
    }
    return std::min(align, divisor_power(structure.size));
}

void add_paths(const LayoutTables& tables, const LayoutStruct& structure, const std::string& prefix,
               std::vector<std::string>& paths) {
    for (const LayoutField& field : structure.fields) {
        paths.push_back(prefix + field.name);
        const LayoutStruct* type = field.type.empty() ? nullptr : tables.find(field.type);
        if (type != nullptr) {
            add_paths(tables, *type, prefix + field.name + ".", paths);
        }
    }
}

}  // namespace

const LayoutField* LayoutStruct::find(std::string_view field) const {
    const auto found = std::lower_bound(
        by_name_.begin(), by_name_.end(), field,
        [this](std::uint16_t row, std::string_view name) { return fields[row].name < name; });
    return found != by_name_.end() && fields[*found].name == field ? &fields[*found] : nullptr;
}

void LayoutStruct::finish() {
    // Equal offsets: outer before inner, then the order of the source.
    const auto depth = [](const LayoutField& field) {
        return std::count(field.name.begin(), field.name.end(), '.');
    };
    std::stable_sort(fields.begin(), fields.end(), [&](const LayoutField& a, const LayoutField& b) {
        return a.offset != b.offset ? a.offset < b.offset : depth(a) < depth(b);
    });
    by_name_.resize(fields.size());
    std::iota(by_name_.begin(), by_name_.end(), std::uint16_t{0});
    std::sort(by_name_.begin(), by_name_.end(),
              [this](std::uint16_t a, std::uint16_t b) { return fields[a].name < fields[b].name; });
    if (align == 0) {
        align = inferred_align(*this);
    }
}

const LayoutStruct* LayoutTables::find(std::string_view structure) const {
    const auto found = std::lower_bound(
        structs.begin(), structs.end(), structure,
        [](const LayoutStruct& entry, std::string_view name) { return entry.name < name; });
    return found != structs.end() && found->name == structure ? &*found : nullptr;
}

LayoutStruct* LayoutTables::find(std::string_view structure) {
    return const_cast<LayoutStruct*>(std::as_const(*this).find(structure));
}

const LayoutStruct& LayoutTables::get(std::string_view structure) const {
    const LayoutStruct* found = find(structure);
    if (found == nullptr) {
        std::vector<std::string> names;
        names.reserve(structs.size());
        for (const LayoutStruct& entry : structs) {
            names.push_back(entry.name);
        }
        throw UserError("layout " + name + " has no such structure")
            .value(std::string(structure))
            .nearest(structure, names);
    }
    return *found;
}

void LayoutTables::put(LayoutStruct structure) {
    const auto place = std::lower_bound(
        structs.begin(), structs.end(), structure.name,
        [](const LayoutStruct& entry, const std::string& key) { return entry.name < key; });
    if (place != structs.end() && place->name == structure.name) {
        *place = std::move(structure);
    } else {
        structs.insert(place, std::move(structure));
    }
}

LayoutPlace find_place(const LayoutTables& tables, const LayoutStruct& structure,
                       std::string_view path) {
    LayoutPlace place{&structure, nullptr, 0};
    while (true) {
        place.field = place.owner->find(path);
        if (place.field != nullptr) {
            return place;
        }
        // The longest leading part that is a member with a table of its own.
        std::size_t dot = path.rfind('.');
        const LayoutStruct* inner = nullptr;
        while (dot != std::string_view::npos && inner == nullptr) {
            const LayoutField* member = place.owner->find(path.substr(0, dot));
            if (member != nullptr && !member->type.empty()) {
                inner = tables.find(member->type);
                place.base += inner != nullptr ? member->offset : 0;
            }
            if (inner == nullptr) {
                dot = dot == 0 ? std::string_view::npos : path.rfind('.', dot - 1);
            }
        }
        if (inner == nullptr) {
            return place;
        }
        place.owner = inner;
        path.remove_prefix(dot + 1);
    }
}

LayoutPlace get_place(const LayoutTables& tables, std::string_view structure,
                      std::string_view path) {
    const LayoutStruct& outer = tables.get(structure);
    const LayoutPlace place = find_place(tables, outer, path);
    if (place.field == nullptr) {
        std::vector<std::string> paths;
        add_paths(tables, outer, "", paths);
        throw UserError("layout " + tables.name + " has no such field in " + outer.name)
            .value(std::string(path))
            .nearest(path, paths);
    }
    return place;
}

std::uint32_t natural_align(const LayoutTables& tables, const LayoutField& field) {
    const LayoutStruct* type = field.type.empty() ? nullptr : tables.find(field.type);
    if (type != nullptr) {
        return type->align;
    }
    return std::min(divisor_power(field.offset), divisor_power(field.size));
}

std::string_view parent_of(const LayoutStruct& structure, const LayoutField& field) {
    std::string_view path = field.name;
    std::size_t dot = path.rfind('.');
    while (dot != std::string_view::npos) {
        path = path.substr(0, dot);
        if (structure.find(path) != nullptr) {
            return path;
        }
        dot = path.rfind('.');
    }
    return {};
}

void overlay(LayoutTables& tables, LayoutTables file) {
    tables.user_file = file.name;
    for (const std::string& name : file.ambiguous) {
        if (tables.find(name) != nullptr) {
            throw UserError("different structures of one name")
                .file(file.name)
                .value(name)
                .expected("a file with only one of them");
        }
    }
    // A whole kernel has ten thousand structures: put() one by one would take too long.
    std::vector<LayoutStruct> added;
    for (LayoutStruct& structure : file.structs) {
        LayoutStruct* known = tables.find(structure.name);
        if (known != nullptr) {
            *known = std::move(structure);
        } else {
            added.push_back(std::move(structure));
        }
    }
    tables.structs.insert(tables.structs.end(), std::make_move_iterator(added.begin()),
                          std::make_move_iterator(added.end()));
    std::sort(tables.structs.begin(), tables.structs.end(),
              [](const LayoutStruct& a, const LayoutStruct& b) { return a.name < b.name; });
    for (const LayoutStruct& outer : tables.structs) {
        for (const LayoutField& field : outer.fields) {
            const LayoutStruct* type = field.type.empty() ? nullptr : tables.find(field.type);
            if (type == nullptr || type->size == field.size) {
                continue;
            }
            throw UserError("a structure has two sizes: " + type->name + " is " +
                            std::to_string(type->size) + " bytes in " + type->origin + ", but " +
                            outer.name + "." + field.name + " is " + std::to_string(field.size) +
                            " bytes in " + outer.origin)
                .file(tables.user_file)
                .expected("a file that has " + outer.name + " and " + type->name);
        }
    }
}

}  // namespace linefill::kernel

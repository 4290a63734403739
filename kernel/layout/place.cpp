// SPDX-License-Identifier: Apache-2.0
// Moves members inside structures, and structures inside those that embed them.
#include "kernel/layout/place.h"

#include <algorithm>
#include <vector>

#include "model/sim/error.h"

namespace linefill::kernel {

using model::UserError;

namespace {

// An object larger than this is a slip of the finger.
constexpr std::uint32_t kLargestStruct = 1U << 20U;
constexpr std::uint32_t kLargestInferred = 4096;

bool lies_below(const LayoutField& field, std::string_view parent) {
    return field.name.size() > parent.size() && field.name[parent.size()] == '.' &&
           field.name.compare(0, parent.size(), parent) == 0;
}

struct BitRange {
    std::uint64_t begin;
    std::uint64_t end;
};

BitRange bits_of(const LayoutField& field) {
    const std::uint64_t begin = std::uint64_t{field.offset} * 8 + field.bit_start;
    return {begin, begin + (field.bit_width > 0 ? field.bit_width : std::uint64_t{field.size} * 8)};
}

bool do_overlap(const LayoutField& a, const LayoutField& b) {
    const BitRange first = bits_of(a);
    const BitRange second = bits_of(b);
    return first.begin < second.end && second.begin < first.end && first.begin < first.end &&
           second.begin < second.end;
}

std::vector<Overlap> overlaps(const LayoutStruct& structure) {
    std::vector<Overlap> result;
    const auto& fields = structure.fields;
    for (std::size_t first = 0; first < fields.size(); ++first) {
        for (std::size_t second = first + 1;
             second < fields.size() && fields[second].offset < fields[first].end(); ++second) {
            if (do_overlap(fields[first], fields[second]) &&
                parent_of(structure, fields[first]) == parent_of(structure, fields[second])) {
                result.emplace_back(fields[first].name, fields[second].name);
            }
        }
    }
    return result;
}

bool contains(const std::vector<Overlap>& pairs, const Overlap& pair) {
    return std::any_of(pairs.begin(), pairs.end(), [&pair](const Overlap& known) {
        return known == pair || (known.first == pair.second && known.second == pair.first);
    });
}

std::string range_of(const LayoutStruct& structure, std::string_view name) {
    const LayoutField& field = *structure.find(name);
    return structure.name + "." + std::string(name) + " (bytes " + std::to_string(field.offset) +
           " to " + std::to_string(field.end() - 1) + ")";
}

void refuse_new_overlap(const LayoutStruct& before, const LayoutStruct& after) {
    if (const auto overlap = first_new_overlap(before, after)) {
        throw UserError("fields would overlap: " + range_of(after, overlap->first) + " and " +
                        range_of(after, overlap->second));
    }
}

void refuse_too_large(const LayoutStruct& structure) {
    if (structure.size > kLargestStruct) {
        throw UserError("a structure would be too large: " + structure.name + " of " +
                        std::to_string(structure.size) + " bytes")
            .expected("at most " + std::to_string(kLargestStruct));
    }
}

// The member that `field` is inside of must still hold it.
void refuse_escape(const LayoutStruct& structure, const LayoutField& field) {
    const std::string_view parent = parent_of(structure, field);
    if (parent.empty()) {
        return;
    }
    const LayoutField& outer = *structure.find(parent);
    if (field.offset < outer.offset || field.end() > outer.end()) {
        throw UserError("a field would leave the member that it is inside of: " +
                        range_of(structure, field.name) + " and " + range_of(structure, parent));
    }
}

// After `type` has grown: every structure that embeds it gets a larger member, at the same place.
void grow_embedding(LayoutTables& tables, const std::string& type) {
    const std::uint32_t size = tables.get(type).size;
    std::vector<std::string> grown;
    for (LayoutStruct& outer : tables.structs) {
        const LayoutStruct before = outer;
        bool is_changed = false;
        for (LayoutField& field : outer.fields) {
            if (field.type == type && field.size != size) {
                field.size = size;
                is_changed = true;
            }
        }
        if (!is_changed) {
            continue;
        }
        outer.finish();
        refuse_new_overlap(before, outer);
        for (const LayoutField& field : outer.fields) {
            if (field.type == type) {
                refuse_escape(outer, field);
                outer.size = std::max(outer.size, align_up(field.end(), outer.align));
            }
        }
        refuse_too_large(outer);
        if (outer.size != before.size) {
            grown.push_back(outer.name);
        }
    }
    for (const std::string& name : grown) {
        grow_embedding(tables, name);
    }
}

// Members of one level that share bytes (partners of a union, bitfields of one word) and therefore
// keep their distances when a compiler would lay the structure out again.
struct Cluster {
    std::vector<std::size_t> rows;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t new_size = 0;
    std::uint32_t align = 1;
    std::uint32_t gap = 0;
};

// What a row must be after the new layout.
struct Wish {
    std::string field;
    std::uint32_t size;
    std::uint32_t align;
};

const Wish* wish_for(const std::vector<Wish>& wishes, const LayoutField& field) {
    const auto found = std::find_if(wishes.begin(), wishes.end(),
                                    [&field](const Wish& w) { return w.field == field.name; });
    return found == wishes.end() ? nullptr : &*found;
}

std::vector<Cluster> clusters_of(const LayoutTables& tables, const LayoutStruct& structure,
                                 const std::vector<Wish>& wishes) {
    std::vector<Cluster> clusters;
    for (std::size_t row = 0; row < structure.fields.size(); ++row) {
        const LayoutField& field = structure.fields[row];
        if (!parent_of(structure, field).empty()) {
            continue;
        }
        const bool is_new = clusters.empty() || (field.offset >= clusters.back().end &&
                                                 field.offset != clusters.back().begin);
        if (is_new) {
            clusters.emplace_back();
            clusters.back().begin = field.offset;
            clusters.back().end = field.offset;
        }
        Cluster& cluster = clusters.back();
        const Wish* wish = wish_for(wishes, field);
        const std::uint32_t new_size = wish != nullptr ? wish->size : field.size;
        cluster.rows.push_back(row);
        cluster.end = std::max(cluster.end, field.end());
        cluster.new_size = std::max(cluster.new_size, field.offset - cluster.begin + new_size);
        cluster.align = std::max(cluster.align, natural_align(tables, field));
    }
    return clusters;
}

// The least alignment that explains why a member begins where it does: a hole in front of it is the
// work of an alignment attribute, unless none fits (then something unlisted lies there).
void explain_gaps(std::vector<Cluster>& clusters) {
    std::uint32_t previous_end = 0;
    for (Cluster& cluster : clusters) {
        std::uint32_t align = cluster.align;
        while (align <= kLargestInferred && align_up(previous_end, align) != cluster.begin) {
            align *= 2;
        }
        if (align <= kLargestInferred) {
            cluster.align = align;
        } else {
            cluster.gap = cluster.begin - std::min(previous_end, cluster.begin);
        }
        previous_end = std::max(previous_end, cluster.end);
    }
}

void shift(LayoutStruct& structure, std::size_t row, std::uint32_t offset) {
    const std::string name = structure.fields[row].name;
    const std::uint32_t delta = offset - structure.fields[row].offset;
    for (LayoutField& field : structure.fields) {
        if (field.name == name || lies_below(field, name)) {
            field.offset += delta;
        }
    }
}

// Lays a structure out again from its first changed member on.
void repack(const LayoutTables& tables, LayoutStruct& structure, const std::vector<Wish>& wishes) {
    std::vector<Cluster> clusters = clusters_of(tables, structure, wishes);
    explain_gaps(clusters);
    const std::uint32_t old_end = clusters.empty() ? 0 : clusters.back().end;
    const std::uint32_t old_full = align_up(old_end, structure.align);
    const std::uint32_t tail = structure.size - std::min(old_full, structure.size);
    std::uint32_t end = 0;
    bool is_changed = false;
    for (Cluster& cluster : clusters) {
        for (const std::size_t row : cluster.rows) {
            LayoutField& field = structure.fields[row];
            if (const Wish* wish = wish_for(wishes, field)) {
                const std::uint32_t inside = field.offset - cluster.begin;
                if (wish->align > 1 && inside % wish->align != 0) {
                    throw UserError("a member of a union cannot be aligned alone: " +
                                    structure.name + "." + field.name);
                }
                field.size = wish->size;
                cluster.align = std::max(cluster.align, wish->align);
                structure.align = std::max(structure.align, wish->align);
                is_changed = true;
            }
        }
        const std::uint32_t begin =
            is_changed ? align_up(end + cluster.gap, cluster.align) : cluster.begin;
        for (const std::size_t row : cluster.rows) {
            shift(structure, row, structure.fields[row].offset - cluster.begin + begin);
        }
        end = std::max(end, begin + cluster.new_size);
    }
    structure.size = align_up(end + tail, structure.align);
    structure.finish();
    refuse_too_large(structure);
}

void repack_embedding(LayoutTables& tables, const std::string& type) {
    const std::uint32_t size = tables.get(type).size;
    const std::uint32_t align = tables.get(type).align;
    std::vector<std::string> changed;
    for (LayoutStruct& outer : tables.structs) {
        std::vector<Wish> wishes;
        for (const LayoutField& field : outer.fields) {
            if (field.type != type) {
                continue;
            }
            if (!parent_of(outer, field).empty()) {
                throw UserError("a field cannot grow inside " + outer.name + "." +
                                std::string(parent_of(outer, field)));
            }
            wishes.push_back({field.name, size, align});
        }
        if (!wishes.empty()) {
            const std::uint32_t old_size = outer.size;
            const std::uint32_t old_align = outer.align;
            repack(tables, outer, wishes);
            if (outer.size != old_size || outer.align != old_align) {
                changed.push_back(outer.name);
            }
        }
    }
    for (const std::string& name : changed) {
        repack_embedding(tables, name);
    }
}

}  // namespace

std::optional<Overlap> first_overlap(const LayoutStruct& structure) {
    const std::vector<Overlap> found = overlaps(structure);
    return found.empty() ? std::nullopt : std::optional<Overlap>(found.front());
}

std::optional<Overlap> first_new_overlap(const LayoutStruct& before, const LayoutStruct& after) {
    const std::vector<Overlap> known = overlaps(before);
    for (const Overlap& pair : overlaps(after)) {
        if (!contains(known, pair)) {
            return pair;
        }
    }
    return std::nullopt;
}

void move_field(LayoutTables& tables, std::string_view structure, std::string_view path,
                std::uint32_t offset) {
    const LayoutPlace place = get_place(tables, structure, path);
    const LayoutStruct before = *place.owner;
    const LayoutField field = *place.field;
    if (offset < place.base || offset - place.base > kLargestStruct) {
        throw UserError("a field would leave its structure: " + before.name + "." + field.name)
            .value(std::to_string(offset))
            .expected("an offset from " + std::to_string(place.base) + " on, where " + before.name +
                      " begins, below " + std::to_string(kLargestStruct));
    }
    const std::uint32_t target = offset - place.base;
    // An alignment attribute may be given up in a what-if, the access width may not.
    const std::uint32_t align = std::min(natural_align(tables, field), 8U);
    if (target % align != 0) {
        throw UserError("a misaligned field: " + before.name + "." + field.name)
            .value(std::to_string(offset))
            .expected("a multiple of " + std::to_string(align) +
                      (place.base == 0 ? "" : ", counted from " + std::to_string(place.base)));
    }
    LayoutStruct& owner = *tables.find(before.name);
    shift(owner, static_cast<std::size_t>(place.field - owner.fields.data()), target);
    owner.finish();
    refuse_escape(owner, *owner.find(field.name));
    refuse_new_overlap(before, owner);
    owner.size = std::max(owner.size, align_up(target + field.size, owner.align));
    refuse_too_large(owner);
    if (owner.size != before.size) {
        grow_embedding(tables, before.name);
    }
}

void align_field(LayoutTables& tables, std::string_view structure, std::string_view path,
                 std::uint32_t align) {
    const LayoutPlace place = get_place(tables, structure, path);
    const std::string name = place.owner->name;
    const LayoutField field = *place.field;
    if (const std::string_view parent = parent_of(*place.owner, field); !parent.empty()) {
        throw UserError("a field inside a member without a table cannot be aligned: " + name + "." +
                        field.name)
            .expected("an alignment of " + name + "." + std::string(parent));
    }
    LayoutStruct& owner = *tables.find(name);
    const std::uint32_t old_size = owner.size;
    const std::uint32_t old_align = owner.align;
    repack(tables, owner, {{field.name, field.size, align}});
    if (owner.size != old_size || owner.align != old_align) {
        repack_embedding(tables, name);
    }
}

}  // namespace linefill::kernel

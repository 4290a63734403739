// SPDX-License-Identifier: Apache-2.0
// Reads layout tables from CSV: our compact form, the reference form, and the supplement.
#include <charconv>
#include <limits>

#include "kernel/layout/tables.h"
#include "model/sim/error.h"

namespace linefill::kernel {

using model::UserError;

namespace {

constexpr std::string_view kOwnHeader = "struct,field,offset,size,type";
constexpr std::string_view kReferenceHeader =
    "kernel,arch,struct,field,offset_bytes,size_bytes,source";
constexpr std::string_view kSupplementHeader = "layouts,struct,field,offset,size,type,tag,source";

// No object of the mini-kernel is near this; a larger figure is a damaged file.
constexpr std::uint32_t kLargestOffset = 1U << 20U;

std::string_view next_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
    }
    return line;
}

// Splits into at most `columns`: the last one takes the rest, commas included.
std::vector<std::string_view> split(std::string_view line, std::size_t columns) {
    std::vector<std::string_view> cells;
    cells.reserve(columns);
    while (cells.size() + 1 < columns) {
        const std::size_t comma = line.find(',');
        if (comma == std::string_view::npos) {
            break;
        }
        cells.push_back(line.substr(0, comma));
        line.remove_prefix(comma + 1);
    }
    cells.push_back(line);
    return cells;
}

struct Row {
    std::string_view structure;
    std::string_view field;
    std::string_view offset;
    std::string_view size;
    std::string_view type;
};

class CsvReader {
public:
    CsvReader(std::string_view text, std::string_view origin) : rest_(text), origin_(origin) {}

    bool next() {
        while (!rest_.empty()) {
            line_ = next_line(rest_);
            ++number_;
            if (!line_.empty()) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] std::string_view line() const { return line_; }

    [[nodiscard]] std::vector<std::string_view> cells(std::size_t columns) const {
        std::vector<std::string_view> result = split(line_, columns);
        if (result.size() != columns) {
            throw error("a row has " + std::to_string(result.size()) + " columns")
                .expected(std::to_string(columns));
        }
        return result;
    }

    [[nodiscard]] std::uint32_t number(std::string_view cell, const Row& row) const {
        std::uint32_t value = 0;
        const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (code != std::errc() || end != cell.data() + cell.size() || value > kLargestOffset) {
            throw error("not an offset or a size")
                .key(std::string(row.structure) + "." + std::string(row.field))
                .value(std::string(cell))
                .expected("a number of bytes, at most " + std::to_string(kLargestOffset));
        }
        return value;
    }

    // "name:bitsS+N" is the form of the reference for N bits from bit S on.
    [[nodiscard]] LayoutField field(const Row& row) const {
        LayoutField result;
        const std::size_t mark = row.field.find(":bits");
        result.name = row.field.substr(0, mark);
        result.offset = number(row.offset, row);
        result.size = number(row.size, row);
        result.type = row.type;
        if (mark != std::string_view::npos) {
            const std::string_view bits = row.field.substr(mark + 5);
            const std::size_t plus = bits.find('+');
            result.bit_start = bit(bits.substr(0, plus), row);
            result.bit_width = plus == std::string_view::npos ? 0 : bit(bits.substr(plus + 1), row);
            if (result.bit_width == 0) {
                throw error("not a bitfield")
                    .value(std::string(row.field))
                    .expected("NAME:bitsSTART+WIDTH");
            }
        }
        if (result.name.empty()) {
            throw error("a row without a field").value(std::string(line_));
        }
        return result;
    }

    [[nodiscard]] UserError error(std::string what) const {
        UserError result(std::move(what));
        result.file(std::string(origin_)).line(number_);
        return result;
    }

private:
    [[nodiscard]] std::uint8_t bit(std::string_view text, const Row& row) const {
        const std::uint32_t value = number(text, row);
        if (value > 64) {
            throw error("a bitfield of more than 64 bits").value(std::string(row.field));
        }
        return static_cast<std::uint8_t>(value);
    }

    std::string_view rest_;
    std::string_view origin_;
    std::string_view line_;
    int number_ = 0;
};

void read_comment(LayoutTables& tables, std::string_view line) {
    const auto value_of = [&line](std::string_view key) -> std::string_view {
        return line.substr(0, key.size()) == key ? line.substr(key.size()) : std::string_view();
    };
    if (const auto kernel = value_of("# kernel: "); !kernel.empty()) {
        tables.kernel = kernel;
    } else if (const auto arch = value_of("# arch: "); !arch.empty()) {
        tables.arch = arch;
    } else if (const auto source = value_of("# source: "); !source.empty()) {
        tables.source = source;
    } else if (auto words = value_of("# config: "); !words.empty()) {
        while (!words.empty()) {
            const std::string_view word = words.substr(0, words.find(' '));
            const std::size_t equals = word.find('=');
            if (equals != std::string_view::npos) {
                tables.config.emplace_back(word.substr(0, equals), word.substr(equals + 1));
            }
            words.remove_prefix(std::min(words.size(), word.size() + 1));
        }
    }
}

// Rows of one structure need not stand together in a user's file.
LayoutStruct& structure_of(LayoutTables& tables, std::vector<LayoutStruct>& open,
                           std::string_view name, std::string_view origin) {
    if (!open.empty() && open.back().name == name) {
        return open.back();
    }
    for (LayoutStruct& structure : open) {
        if (structure.name == name) {
            return structure;
        }
    }
    LayoutStruct structure;
    structure.name = name;
    structure.origin = origin;
    structure.source = tables.source;
    open.push_back(std::move(structure));
    return open.back();
}

void check_complete(const LayoutStruct& structure, const CsvReader& reader) {
    if (structure.size == 0) {
        for (const LayoutField& field : structure.fields) {
            if (field.size > 0) {
                throw reader.error("a structure without a (sizeof) row").value(structure.name);
            }
        }
    }
    for (const LayoutField& field : structure.fields) {
        if (field.end() > structure.size) {
            throw reader.error("a field lies behind the end of its structure")
                .key(structure.name + "." + field.name)
                .value(std::to_string(field.offset))
                .expected("an end of at most " + std::to_string(structure.size));
        }
    }
    if (structure.align > 0 && structure.size % structure.align != 0) {
        throw reader.error("a size is no multiple of the alignment").value(structure.name);
    }
}

}  // namespace

LayoutTables parse_layout_csv(std::string_view text, std::string_view origin) {
    LayoutTables tables;
    CsvReader reader(text, origin);
    bool is_reference = false;
    bool has_header = false;
    std::vector<LayoutStruct> open;
    while (reader.next()) {
        if (reader.line().front() == '#') {
            read_comment(tables, reader.line());
            continue;
        }
        if (!has_header) {
            is_reference = reader.line() == kReferenceHeader;
            if (!is_reference && reader.line() != kOwnHeader) {
                throw reader.error("not a layout table")
                    .value(std::string(reader.line().substr(0, 60)))
                    .expected("the header " + std::string(kOwnHeader));
            }
            has_header = true;
            continue;
        }
        Row row;
        if (is_reference) {
            const auto cells = reader.cells(7);
            tables.kernel = cells[0];
            tables.arch = cells[1];
            tables.source = cells[6];
            row = {cells[2], cells[3], cells[4], cells[5], {}};
        } else {
            const auto cells = reader.cells(5);
            row = {cells[0], cells[1], cells[2], cells[3], cells[4]};
        }
        LayoutStruct& structure = structure_of(tables, open, row.structure, origin);
        if (row.field == "(sizeof)") {
            structure.size = reader.number(row.size, row);
        } else if (row.field == "(alignof)") {
            structure.align = reader.number(row.size, row);
        } else {
            structure.fields.push_back(reader.field(row));
        }
    }
    if (open.empty()) {
        throw UserError("a layout table without a structure").file(std::string(origin));
    }
    tables.name = tables.kernel.empty() ? std::string(origin) : tables.kernel + "-" + tables.arch;
    for (LayoutStruct& structure : open) {
        if (structure.fields.size() > std::numeric_limits<std::uint16_t>::max()) {
            throw UserError("a structure with too many fields").value(structure.name);
        }
        structure.finish();
        for (const LayoutField& field : structure.fields) {
            if (structure.find(field.name) != &field) {
                throw UserError("a field stands there twice")
                    .file(std::string(origin))
                    .value(structure.name + "." + field.name);
            }
        }
        check_complete(structure, reader);
        tables.put(std::move(structure));
    }
    return tables;
}

namespace {

// Patterns are separated by blanks; '*' stands for any text, once in a pattern.
bool matches(std::string_view patterns, std::string_view name) {
    while (!patterns.empty()) {
        const std::string_view pattern = patterns.substr(0, patterns.find(' '));
        const std::size_t star = pattern.find('*');
        const std::string_view head = pattern.substr(0, star);
        const std::string_view tail =
            star == std::string_view::npos ? std::string_view() : pattern.substr(star + 1);
        if (star == std::string_view::npos
                ? pattern == name
                : name.size() >= head.size() + tail.size() && name.substr(0, head.size()) == head &&
                      name.substr(name.size() - tail.size()) == tail) {
            return true;
        }
        patterns.remove_prefix(std::min(patterns.size(), pattern.size() + 1));
    }
    return false;
}

// A row without an offset says which structure a member of the table is.
void annotate(LayoutTables& tables, const Row& row, const CsvReader& reader) {
    LayoutStruct* structure = tables.find(row.structure);
    const LayoutStruct* type = tables.find(row.type);
    const LayoutField* field = structure != nullptr ? structure->find(row.field) : nullptr;
    if (field == nullptr || type == nullptr || type->size != field->size) {
        throw reader.error("the supplement does not fit " + tables.name)
            .value(std::string(reader.line()));
    }
    structure->fields[static_cast<std::size_t>(field - structure->fields.data())].type = row.type;
}

}  // namespace

void add_supplement(LayoutTables& tables, std::string_view text, std::string_view origin) {
    CsvReader reader(text, origin);
    bool has_header = false;
    LayoutStruct current;
    const auto close = [&tables, &current] {
        if (!current.name.empty()) {
            current.finish();
            tables.put(std::move(current));
        }
        current = LayoutStruct();
    };
    while (reader.next()) {
        if (reader.line().front() == '#') {
            continue;
        }
        if (!has_header) {
            if (reader.line() != kSupplementHeader) {
                throw reader.error("not a supplement").value(std::string(reader.line()));
            }
            has_header = true;
            continue;
        }
        const auto cells = reader.cells(8);
        if (!matches(cells[0], tables.name)) {
            continue;
        }
        Row row{cells[1], cells[2], cells[3], cells[4], cells[5]};
        if (row.structure != current.name) {
            close();
        }
        if (row.offset.empty()) {
            annotate(tables, row, reader);
            continue;
        }
        if (current.name.empty()) {
            current.name = row.structure;
            current.origin = origin;
            current.source = std::string(cells[6]) + ": " + std::string(cells[7]);
        }
        const std::string type_size =
            row.size.empty() ? std::to_string(tables.get(row.type).size) : std::string();
        row.size = row.size.empty() ? std::string_view(type_size) : row.size;
        if (row.field == "(sizeof)") {
            current.size = reader.number(row.size, row);
        } else if (row.field == "(alignof)") {
            current.align = reader.number(row.size, row);
        } else {
            current.fields.push_back(reader.field(row));
        }
    }
    close();
}

}  // namespace linefill::kernel

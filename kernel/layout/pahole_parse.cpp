// SPDX-License-Identifier: Apache-2.0
// A line reader for pahole's output, which is C with figures in comments.
#include "kernel/layout/pahole_parse.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "model/sim/error.h"

namespace linefill::kernel {

using model::UserError;

namespace {

constexpr std::uint32_t kLargestOffset = 1U << 20U;

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

bool is_name_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

std::optional<std::uint32_t> take_number(std::string_view& text) {
    text = trim(text);
    std::uint32_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || value > kLargestOffset) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

// The comment behind a member: "/*  1052: 0  4 */" is offset, first bit and size; the bit is
// printed for bitfields only.
struct Figures {
    std::uint32_t offset = 0;
    std::uint32_t bit = 0;
    std::uint32_t size = 0;
};

std::optional<Figures> read_figures(std::string_view comment) {
    if (!comment.starts_with("/*")) {
        return std::nullopt;
    }
    comment.remove_prefix(2);
    Figures figures;
    const auto offset = take_number(comment);
    comment = trim(comment);
    std::optional<std::uint32_t> bit = 0;
    if (comment.starts_with(":")) {
        comment.remove_prefix(1);
        bit = take_number(comment);
    }
    const auto size = take_number(comment);
    if (!offset || !bit || !size || !trim(comment).starts_with("*/")) {
        return std::nullopt;
    }
    figures.offset = *offset;
    figures.bit = *bit;
    figures.size = *size;
    return figures;
}

// What stands before the semicolon, taken apart.
struct Declarator {
    std::string name;
    std::string tag;
    std::uint32_t bit_width = 0;
    bool is_pointer = false;
    bool is_array = false;
};

// Removes each "__attribute__((...))", which stands before or behind the name.
std::string without_attributes(std::string_view text) {
    constexpr std::string_view kAttribute = "__attribute__";
    std::string result(text);
    for (std::size_t at = result.find(kAttribute); at != std::string::npos;
         at = result.find(kAttribute)) {
        std::size_t end = at + kAttribute.size();
        int depth = 0;
        while (end < result.size() && (depth > 0 || result[end] == '(')) {
            depth += result[end] == '(' ? 1 : (result[end] == ')' ? -1 : 0);
            ++end;
        }
        result.erase(at, end - at);
    }
    return result;
}

std::string_view last_word(std::string_view text) {
    text = trim(text);
    std::size_t begin = text.size();
    while (begin > 0 && is_name_letter(text[begin - 1])) {
        --begin;
    }
    return text.substr(begin);
}

Declarator read_declarator(std::string_view whole) {
    Declarator result;
    const std::string bare = without_attributes(whole);
    std::string_view text = trim(bare);
    const std::size_t function = text.find("(*");
    if (function != std::string_view::npos) {
        std::string_view inner = text.substr(function + 2);
        inner = inner.substr(0, inner.find_first_of(")[("));
        result.name = last_word(inner);
        result.is_pointer = true;
        return result;
    }
    if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
        std::string_view width = text.substr(colon + 1);
        result.bit_width = take_number(width).value_or(0);
        text = trim(text.substr(0, colon));
    }
    if (const std::size_t bracket = text.find('['); bracket != std::string_view::npos) {
        result.is_array = true;
        text = trim(text.substr(0, bracket));
    }
    result.is_pointer = text.find('*') != std::string_view::npos;
    result.name = last_word(text);
    for (const std::string_view qualifier : {"const ", "volatile "}) {
        text = text.starts_with(qualifier) ? trim(text.substr(qualifier.size())) : text;
    }
    if (text.starts_with("struct ") && !result.is_pointer && !result.is_array) {
        const std::string_view rest = trim(text.substr(7));
        result.tag = rest.substr(0, rest.find_first_of(" \t"));
    }
    return result;
}

// One open brace.
struct Frame {
    bool is_union = false;
    bool is_enum = false;
    std::string tag;
    std::size_t first_row = 0;
    int line = 0;
    // Of the last member directly in this frame, for the check of overlaps.
    std::string last_name;
    std::uint64_t last_end_bit = 0;
};

class PaholeReader {
public:
    PaholeReader(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

    LayoutTables read() {
        while (!rest_.empty()) {
            const std::size_t end = rest_.find('\n');
            line_ = trim(rest_.substr(0, end));
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            ++number_;
            read_line();
        }
        if (!frames_.empty()) {
            throw error("the text ends inside a structure").value(frames_.front().tag);
        }
        if (structs_.empty()) {
            throw UserError("no structure in the file")
                .file(std::string(file_))
                .expected("the output of `pahole -C rq,task_struct,... FILE`, or CSV");
        }
        return finish();
    }

private:
    void read_line() {
        // -E says which typedef it has written out, in front of the type.
        while (line_.starts_with("/* typedef ")) {
            const std::size_t end = line_.find("*/");
            line_ =
                end == std::string_view::npos ? std::string_view() : trim(line_.substr(end + 2));
        }
        if (frames_.empty()) {
            open_top();
        } else if (frames_.back().is_enum) {
            if (line_.starts_with("}")) {
                close();
            }
        } else if (line_.starts_with("/*")) {
            read_summary();
        } else if (line_.starts_with("}")) {
            close();
        } else if (!line_.empty() && line_.back() == '{') {
            open(line_);
        } else if (!line_.empty()) {
            read_member();
        }
    }

    void open_top() {
        std::string_view line = line_;
        if (line.starts_with("typedef ")) {
            line = trim(line.substr(8));
        }
        const bool is_structure = line.starts_with("struct ") || line.starts_with("union ");
        if (is_structure && line.back() == '{') {
            structure_ = LayoutStruct();
            structure_.origin = file_;
            structure_.source = "pahole: " + std::string(file_);
            structure_.are_unions_known = true;
            has_size_ = false;
            open(line);
        }
    }

    void open(std::string_view line) {
        Frame frame;
        frame.is_union = line.starts_with("union");
        frame.is_enum = line.starts_with("enum");
        frame.first_row = structure_.fields.size();
        frame.line = number_;
        line.remove_suffix(1);
        line = trim(line);
        const std::size_t blank = line.find_first_of(" \t");
        frame.tag = blank == std::string_view::npos ? "" : trim(line.substr(blank));
        frames_.push_back(std::move(frame));
    }

    // "/* size: 2736, cachelines: 43, members: 75 */" at the end of the outermost structure.
    void read_summary() {
        constexpr std::string_view kSize = "/* size:";
        if (frames_.size() == 1 && line_.starts_with(kSize)) {
            std::string_view rest = line_.substr(kSize.size());
            const auto size = take_number(rest);
            if (!size) {
                throw error("not a size").value(std::string(line_));
            }
            structure_.size = *size;
            has_size_ = true;
        }
    }

    void read_member() {
        const std::size_t semicolon = line_.find(';');
        if (semicolon == std::string_view::npos) {
            throw error("not a line of pahole's output").value(std::string(line_));
        }
        const std::string_view text = line_.substr(0, semicolon);
        const std::size_t colon = text.rfind(':');
        if (colon != std::string_view::npos && colon > 0 && is_blank(text[colon - 1])) {
            return;  // An unnamed bitfield, which only fills up.
        }
        const Figures figures = figures_after(semicolon);
        const Declarator declarator = read_declarator(text);
        if (declarator.name.empty()) {
            throw error("a member without a name").value(std::string(line_));
        }
        add_row(structure_.fields.size(), declarator, figures);
    }

    Figures figures_after(std::size_t semicolon) const {
        const auto figures = read_figures(trim(line_.substr(semicolon + 1)));
        if (!figures) {
            throw error("a member without an offset and a size")
                .value(std::string(line_))
                .expected("/* OFFSET SIZE */ behind it");
        }
        return *figures;
    }

    void close() {
        if (frames_.size() == 1) {
            close_top();
            return;
        }
        const std::size_t semicolon = line_.find(';');
        if (semicolon == std::string_view::npos) {
            throw error("not a line of pahole's output").value(std::string(line_));
        }
        const Frame frame = std::move(frames_.back());
        frames_.pop_back();
        Declarator declarator = read_declarator(line_.substr(1, semicolon - 1));
        const Figures figures = figures_after(semicolon);
        auto& rows = structure_.fields;
        const auto first = rows.begin() + static_cast<std::ptrdiff_t>(frame.first_row);
        if (declarator.name.empty()) {
            // The members of an anonymous one are members of the one around it.
            note_extent("the anonymous " + std::string(frame.is_union ? "union" : "structure"),
                        figures, 0);
            return;
        }
        if (declarator.is_array || declarator.is_pointer) {
            rows.erase(first, rows.end());
        } else {
            for (auto row = first; row != rows.end(); ++row) {
                row->name.insert(0, declarator.name + ".");
            }
            declarator.tag = frame.is_union || frame.is_enum ? std::string() : frame.tag;
        }
        add_row(frame.first_row, declarator, figures);
    }

    void close_top() {
        const Frame frame = std::move(frames_.back());
        frames_.clear();
        const std::size_t semicolon = std::min(line_.find(';'), line_.size());
        const std::string_view behind = line_.substr(1, semicolon - 1);
        const Declarator declarator = read_declarator(behind);
        structure_.name = frame.tag.empty() ? declarator.name : frame.tag;
        if (!has_size_) {
            throw error("a structure without its size")
                .value(structure_.name)
                .expected("/* size: BYTES, cachelines: N, members: N */ before its end");
        }
        constexpr std::string_view kAligned = "__aligned__(";
        if (const std::size_t aligned = behind.find(kAligned); aligned != std::string_view::npos) {
            std::string_view rest = behind.substr(aligned + kAligned.size());
            structure_.align = take_number(rest).value_or(0);
        }
        for (const LayoutField& field : structure_.fields) {
            if (field.end() > structure_.size) {
                throw error("a field lies behind the end of its structure")
                    .value(structure_.name + "." + field.name)
                    .expected("an end of at most " + std::to_string(structure_.size));
            }
        }
        if (!structure_.name.empty()) {
            structs_.push_back(std::move(structure_));
        }
    }

    // Whatever is directly in a structure must lie behind what was before; in a union anything goes.
    void note_extent(std::string name, const Figures& figures, std::uint32_t bit_width) {
        Frame& frame = frames_.back();
        const std::uint64_t begin = std::uint64_t{figures.offset} * 8 + figures.bit;
        const std::uint64_t end =
            begin + (bit_width > 0 ? bit_width : std::uint64_t{figures.size} * 8);
        if (!frame.is_union && begin < frame.last_end_bit && begin < end) {
            throw error("fields overlap: " + frame.last_name + " and " + name);
        }
        if (end >= frame.last_end_bit) {
            frame.last_end_bit = end;
            frame.last_name = std::move(name);
        }
    }

    void add_row(std::size_t index, const Declarator& declarator, const Figures& figures) {
        note_extent(declarator.name, figures, declarator.bit_width);
        LayoutField field;
        field.name = declarator.name;
        field.offset = figures.offset;
        field.size = figures.size;
        field.type = declarator.tag;
        if (declarator.bit_width > 0) {
            if (declarator.bit_width > 64) {
                throw error("a bitfield of more than 64 bits").value(declarator.name);
            }
            // The bytes that hold the bits, and not the whole word that they were declared in.
            field.offset += figures.bit / 8;
            field.bit_start = static_cast<std::uint8_t>(figures.bit % 8);
            field.bit_width = static_cast<std::uint8_t>(declarator.bit_width);
            field.size = (field.bit_start + declarator.bit_width + 7) / 8;
        }
        if (structure_.fields.size() >= std::numeric_limits<std::uint16_t>::max()) {
            throw error("a structure with too many members").value(frames_.front().tag);
        }
        structure_.fields.insert(structure_.fields.begin() + static_cast<std::ptrdiff_t>(index),
                                 std::move(field));
    }

    // Members that are structures of the text lose their written-out rows; written-out structures
    // that have no text of their own become structures too.
    LayoutTables finish() {
        LayoutTables tables;
        tables.name = file_;
        for (LayoutStruct& structure : structs_) {
            structure.finish();
            for (const LayoutField& field : structure.fields) {
                if (structure.find(field.name) != &field) {
                    throw UserError("a field stands there twice")
                        .file(std::string(file_))
                        .value(structure.name + "." + field.name);
                }
            }
            tables.put(structure);
        }
        for (std::size_t index = 0; index < structs_.size(); ++index) {
            LayoutStruct structure = structs_[index];
            for (std::size_t row = 0; row < structure.fields.size(); ++row) {
                fold(tables, structure, row);
            }
            structure.finish();
            tables.put(std::move(structure));
        }
        return tables;
    }

    void fold(LayoutTables& tables, LayoutStruct& structure, std::size_t row) {
        const LayoutField field = structure.fields[row];
        if (field.type.empty()) {
            return;
        }
        const std::string below = field.name + ".";
        const auto is_below = [&below](const LayoutField& other) {
            return other.name.starts_with(below);
        };
        if (tables.find(field.type) == nullptr) {
            LayoutStruct type;
            type.name = field.type;
            type.size = field.size;
            type.origin = structure.origin;
            type.source = structure.source;
            type.are_unions_known = true;
            for (LayoutField inner : structure.fields) {
                if (is_below(inner)) {
                    inner.name.erase(0, below.size());
                    inner.offset -= field.offset;
                    type.fields.push_back(std::move(inner));
                }
            }
            if (type.fields.empty()) {
                return;  // Named, but not written out.
            }
            type.finish();
            tables.put(type);
            structs_.push_back(std::move(type));
        }
        const std::uint32_t size = tables.find(field.type)->size;
        if (size != field.size) {
            throw UserError("a structure has two sizes: " + field.type + " of " +
                            std::to_string(size) + " bytes, and " + structure.name + "." +
                            field.name + " of " + std::to_string(field.size))
                .file(std::string(file_));
        }
        structure.fields.erase(
            std::remove_if(structure.fields.begin(), structure.fields.end(), is_below),
            structure.fields.end());
    }

    [[nodiscard]] UserError error(std::string what) const {
        UserError result(std::move(what));
        result.file(std::string(file_)).line(number_);
        return result;
    }

    std::string_view rest_;
    std::string_view file_;
    std::string_view line_;
    int number_ = 0;
    std::vector<Frame> frames_;
    LayoutStruct structure_;
    bool has_size_ = false;
    std::vector<LayoutStruct> structs_;
};

}  // namespace

LayoutTables parse_pahole(std::string_view text, std::string_view file) {
    return PaholeReader(text, file).read();
}

}  // namespace linefill::kernel

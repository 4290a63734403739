// SPDX-License-Identifier: Apache-2.0
// The one file that knows the TOML library.
#include "model/platform/toml_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <toml++/toml.h>

#include "model/platform/units.h"
#include "model/sim/error.h"

namespace linefill::model {

namespace {

struct Located {
    Setting setting;
    int column = 0;
};

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

bool is_text_list(const toml::array& list) {
    return !list.empty() && list.is_homogeneous(toml::node_type::string);
}

RawValue raw_value(const toml::node& node) {
    using Kind = RawValue::Kind;
    RawValue raw;
    raw.kind = Kind::kOther;
    if (const auto* text = node.as_string()) {
        raw = {Kind::kText, text->get(), {}};
    } else if (const auto* integer = node.as_integer()) {
        raw = {Kind::kInteger, std::to_string(integer->get()), {}};
    } else if (const auto* real = node.as_floating_point()) {
        raw = {Kind::kReal, format_number(real->get()), {}};
    } else if (const auto* flag = node.as_boolean()) {
        raw = {Kind::kFlag, flag->get() ? "true" : "false", {}};
    } else if (const auto* list = node.as_array()) {
        raw.text = "a list";
        if (is_text_list(*list)) {
            raw.kind = Kind::kList;
            raw.text.clear();
            for (const auto& item : *list) {
                raw.items.push_back(item.as_string()->get());
                raw.text += (raw.text.empty() ? "" : ",") + raw.items.back();
            }
        } else if (list->empty()) {
            raw.text = "an empty list";
        }
    } else {
        raw.text = "a date or time";
    }
    return raw;
}

class Flattener {
public:
    TomlFile flatten(const toml::table& root) {
        walk(root);
        std::stable_sort(located_.begin(), located_.end(), [](const auto& a, const auto& b) {
            return std::pair(a.setting.line, a.column) < std::pair(b.setting.line, b.column);
        });
        TomlFile file;
        file.sections = std::move(sections_);
        for (auto& one : located_) file.settings.push_back(std::move(one.setting));
        return file;
    }

private:
    void walk(const toml::table& table) {
        if (!path_.empty()) sections_.emplace(join_path(path_), line_of(table));
        if (table.empty() && !path_.empty()) {
            add(table, RawValue{RawValue::Kind::kTable, "a section", {}});
        }
        for (const auto& [key, node] : table) {
            path_.emplace_back(key.str());
            visit(node);
            path_.pop_back();
        }
    }

    void visit(const toml::node& node) {
        const toml::array* list = node.as_array();
        if (const auto* table = node.as_table()) {
            walk(*table);
        } else if (list != nullptr && list->is_array_of_tables()) {
            for (std::size_t i = 0; i < list->size(); ++i) {
                path_.push_back(element_part(i));
                walk(*list->get(i)->as_table());
                path_.pop_back();
            }
        } else {
            add(node, raw_value(node));
        }
    }

    void add(const toml::node& node, RawValue value) {
        const auto& begin = node.source().begin;
        located_.push_back({Setting{path_, std::move(value), static_cast<int>(begin.line), {}},
                            static_cast<int>(begin.column)});
    }

    std::vector<std::string> path_;
    std::vector<Located> located_;
    std::map<std::string, int> sections_;
};

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
        text.remove_suffix(1);
    }
    return text;
}

std::string_view line_text(std::string_view text, int line) {
    for (int i = 1; i < line; ++i) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return trim(text.substr(0, text.find('\n')));
}

// The library says what it found; the key and the value are on the line that it names.
UserError syntax_error(const toml::parse_error& error, std::string_view text,
                       const std::string& filename) {
    const std::string_view description = error.description();
    const int line = static_cast<int>(error.source().begin.line);
    const bool is_duplicate = description.find("redefine") != std::string_view::npos;
    UserError result(is_duplicate ? "key or section given twice"
                                  : "not valid TOML: " + std::string(description));
    result.file(filename).line(line);
    const std::string_view source = line_text(text, line);
    const auto equals = source.find('=');
    if (equals != std::string_view::npos) {
        result.key(std::string(trim(source.substr(0, equals))));
        result.value(std::string(trim(source.substr(equals + 1))));
    } else if (!source.empty()) {
        result.key(std::string(source));
    }
    if (is_duplicate) result.expected("each key once");
    return result;
}

bool is_bare_part(const std::string& part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '#';
    });
}

}  // namespace

std::string Setting::key() const { return join_path(path); }

std::string element_part(std::size_t index) { return "#" + std::to_string(index); }

std::string join_path(const std::vector<std::string>& path) {
    std::string key;
    for (const auto& part : path) {
        if (!key.empty()) key += '.';
        key += is_bare_part(part) ? part : quote_toml(part);
    }
    return key;
}

std::string quote_toml(const std::string& text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string quoted = "\"";
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            quoted += '\\';
            quoted += letter;
        } else if (byte < 0x20 || byte == 0x7f) {
            quoted += "\\u00";
            quoted += kHex[byte >> 4U];
            quoted += kHex[byte & 0xfU];
        } else {
            quoted += letter;
        }
    }
    return quoted + '"';
}

TomlFile read_toml(const std::string& text, const std::string& filename) {
    toml::table root;
    try {
        root = toml::parse(text, filename);
    } catch (const toml::parse_error& error) {
        throw syntax_error(error, text, filename);
    }
    return Flattener().flatten(root);
}

}  // namespace linefill::model

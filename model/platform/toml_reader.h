// SPDX-License-Identifier: Apache-2.0
// A platform file taken apart into keys, values and lines. The TOML library stays behind this.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace linefill::model {

/// A value as it was written, before it is known what it should be.
struct RawValue {
    enum class Kind : std::uint8_t {
        kBare,  ///< from --set: any type, without quotes
        kText,  ///< quoted text
        kInteger,
        kReal,
        kFlag,
        kList,   ///< of text; `items` has them
        kTable,  ///< a section where a value belongs, or a section without keys
        kOther   ///< date, time, list of something else
    };
    Kind kind = Kind::kBare;
    std::string text;  ///< as a message quotes it; of text, without the quotes
    std::vector<std::string> items;
};

/// One key with its value and where it was written.
struct Setting {
    std::vector<std::string> path;  ///< parts of the dotted key
    RawValue value;
    int line = 0;        ///< in the file, from 1; 0: not from the file
    std::string option;  ///< the option that set it ("--set"); empty: the file

    [[nodiscard]] std::string key() const;  ///< dotted, parts quoted where they hold a dot
};

struct TomlFile {
    std::vector<Setting> settings;        ///< in the order of the file
    std::map<std::string, int> sections;  ///< dotted name of each section, line of its header
};

/// Path part of the n-th element of a list of tables: "#0".
[[nodiscard]] std::string element_part(std::size_t index);

/// Dotted key of a path; parts that are no bare TOML keys are quoted.
[[nodiscard]] std::string join_path(const std::vector<std::string>& path);

/// Text as a basic TOML string, with its quotes.
[[nodiscard]] std::string quote_toml(const std::string& text);

/// Takes `text` apart. Throws UserError with `filename` and line for text that is no valid TOML, a
/// duplicate key and a truncated file among it.
[[nodiscard]] TomlFile read_toml(const std::string& text, const std::string& filename);

}  // namespace linefill::model

// SPDX-License-Identifier: Apache-2.0
// TOML files inside a TOML file: sections moved below a name, and back.
#pragma once

#include <string>
#include <vector>

namespace linefill::measure {

/// "[core]" becomes "[NAME.core]", "[[idle_state]]" becomes "[[NAME.idle_state]]". Keys before the
/// first section stay before it: [NAME] is the caller's to write.
[[nodiscard]] std::string nested_sections(const std::string& text, const std::string& name);

/// The inverse for what stands below `name`, from a line "[NAME]" on or in sections whose names begin
/// with it; every other line is empty, so that line numbers stay right.
[[nodiscard]] std::string sections_below(const std::string& text, const std::string& name);

/// First parts of the names of all sections, in the order of the file.
[[nodiscard]] std::vector<std::string> section_roots(const std::string& text);

}  // namespace linefill::measure

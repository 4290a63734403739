// SPDX-License-Identifier: Apache-2.0
// Reads structures from the text that pahole prints.
#pragma once

#include <string_view>

#include "kernel/layout/tables.h"

namespace linefill::kernel {

/// The structures of pahole's output (plain or with -E, any number of them, other text between
/// them). Offsets and sizes are taken from the comment behind each member; members of an anonymous
/// union or structure belong to the one around it; a member whose structure is in the text too, with
/// the same size, is kept as one of that type. `file` names the text in errors. UserError with the
/// line for a member without figures, plain members that overlap, a text that ends inside a
/// structure or has none.
[[nodiscard]] LayoutTables parse_pahole(std::string_view text, std::string_view file);

}  // namespace linefill::kernel

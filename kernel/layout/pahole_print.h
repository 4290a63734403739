// SPDX-License-Identifier: Apache-2.0
// Prints a structure as pahole does, with room for a column of findings per member.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kernel/layout/layout.h"

namespace linefill::kernel {

struct PaholeOptions {
    /// Write embedded structures out, as pahole -E does.
    bool expand = true;
    /// Bytes of a cache line, for the boundary comments.
    std::uint32_t line_size = 64;
    /// What to print behind a member's figures; an empty text prints nothing. Called in the order
    /// of the output, for embedded structures before their members.
    std::function<std::string(const LayoutMember&)> heat{};
    /// Heading over that column.
    std::string heat_title{};
};

/// The text of one structure, ended by a newline. parse_pahole reads it back to the same fields.
/// Layout tables do not know C types: a member without a known structure is printed as an unsigned
/// number of its size, or as an array of bytes; members that overlap stand in a union.
[[nodiscard]] std::string print_pahole(const Layout& layout, std::string_view structure,
                                       const PaholeOptions& options = {});

}  // namespace linefill::kernel

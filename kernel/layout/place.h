// SPDX-License-Identifier: Apache-2.0
// Changes of the tables for what-if studies: moving one member, aligning one member.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kernel/layout/tables.h"

namespace linefill::kernel {

/// Names of two members of the same level that share bits.
using Overlap = std::pair<std::string, std::string>;

/// The first overlap of a structure, and the first of `after` that `before` does not have.
[[nodiscard]] std::optional<Overlap> first_overlap(const LayoutStruct& structure);
[[nodiscard]] std::optional<Overlap> first_new_overlap(const LayoutStruct& before,
                                                       const LayoutStruct& after);

/// See Layout::move and Layout::align; the tables are half changed if these throw.
void move_field(LayoutTables& tables, std::string_view structure, std::string_view path,
                std::uint32_t offset);
void align_field(LayoutTables& tables, std::string_view structure, std::string_view path,
                 std::uint32_t align);

}  // namespace linefill::kernel

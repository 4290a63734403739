// SPDX-License-Identifier: Apache-2.0
// The layout tables that are compiled in, and which kernel uses which.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "kernel/layout/tables.h"

namespace linefill::kernel {

/// A file of kernel/layout/data: its name without ".csv", and its text.
struct ShippedFile {
    std::string_view name;
    std::string_view text;
};

/// Written by embed.cmake at build time; sorted by name.
extern const ShippedFile kShippedFiles[];
extern const std::size_t kShippedFileCount;

/// The tables of a shipped layout, parsed once per process; null if there is none of that name.
[[nodiscard]] std::shared_ptr<const LayoutTables> shipped_tables(std::string_view name);

/// The name of the layout for a kernel, empty if no shipped one fits; UserError if the version or
/// the architecture is unknown.
[[nodiscard]] std::string_view find_layout(std::string_view version, std::string_view arch);

/// The same; a pair without a layout is a UserError too.
[[nodiscard]] std::string_view layout_for_kernel(std::string_view version, std::string_view arch);

/// "aarch64" is the same as "arm64"; UserError for an unknown architecture.
[[nodiscard]] std::string_view normal_arch(std::string_view arch);

}  // namespace linefill::kernel

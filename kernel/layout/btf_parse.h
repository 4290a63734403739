// SPDX-License-Identifier: Apache-2.0
// Reads structures from BTF, the type information that a kernel carries with it.
#pragma once

#include <string_view>

#include "kernel/layout/tables.h"

namespace linefill::kernel {

/// True if the bytes begin as BTF (of either byte order) or as an ELF file.
[[nodiscard]] bool looks_like_btf(std::string_view bytes);

/// All structures and unions of a BTF file (/sys/kernel/btf/vmlinux) or of the .BTF section of an ELF
/// file (vmlinux). Members of an anonymous structure or union belong to the one around it; those of an
/// array's elements are not listed; a bitfield lies in the bytes that hold its bits. A structure without
/// a name goes by that of its typedef. BTF does not tell alignments, so each structure gets what its
/// members ask for.
///
/// A name that different structures of the file have in common stands in `ambiguous` and has no table;
/// where it is embedded, its members are written out. `file` names the bytes in errors: UserError for a
/// file that is damaged, of big-endian byte order, or has no BTF, no structures, or only those of a module.
[[nodiscard]] LayoutTables parse_btf(std::string_view bytes, std::string_view file);

}  // namespace linefill::kernel

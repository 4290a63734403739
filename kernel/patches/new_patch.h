// SPDX-License-Identifier: Apache-2.0
// The files that `linefill new patch` writes: a patch with its switch, and a test of it.
#pragma once

#include <string>
#include <string_view>

namespace linefill::kernel {

struct NewPatchFiles {
    std::string identifier;  ///< of the switch: "my_patch"
    std::string patch_path;  ///< from the root of the source tree: "kernel/patches/my_patch.cpp"
    std::string patch_text;
    std::string test_path;
    std::string test_text;
};

/// UserError if `slug` is no lower-case name of letters, digits and hyphens that begins with a letter,
/// if a patch has it already, or if `from` is no version that this build can run.
[[nodiscard]] NewPatchFiles render_new_patch(std::string_view slug, std::string_view from);

}  // namespace linefill::kernel

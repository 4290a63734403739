// SPDX-License-Identifier: Apache-2.0
// build/PRESET/linefill lies two folders below a source tree, bin/linefill beside share/linefill.
#include "app/data_dirs.h"

#include <filesystem>
#include <system_error>

#include "model/sim/error.h"

namespace linefill::app {
namespace {

namespace fs = std::filesystem;

fs::path executable_folder() {
    std::error_code error;
    const fs::path path = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path() : path.parent_path();
}

bool is_source_tree(const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / "CMakeLists.txt", error) &&
           fs::is_directory(folder / "kernel" / "patches", error);
}

}  // namespace

std::vector<std::string> data_dirs(const std::string& kind) {
    std::vector<fs::path> candidates;
    if (const fs::path here = executable_folder(); !here.empty()) {
        candidates.push_back(here / ".." / "share" / "linefill" / kind);
        candidates.push_back(here / ".." / ".." / kind);
    }
    candidates.push_back(fs::path(LINEFILL_SOURCE_DIR) / kind);
    std::vector<std::string> found;
    for (const fs::path& candidate : candidates) {
        std::error_code error;
        const fs::path real = fs::canonical(candidate, error);
        if (error || !fs::is_directory(real, error)) continue;
        if (found.empty() || found.back() != real.string()) found.push_back(real.string());
    }
    return found;
}

std::string source_tree() {
    const fs::path above = executable_folder() / ".." / "..";
    for (const fs::path& candidate : {above, fs::path(LINEFILL_SOURCE_DIR)}) {
        if (is_source_tree(candidate)) return fs::canonical(candidate).string();
    }
    throw model::UserError("the source tree that this command was built from is not there")
        .value(LINEFILL_SOURCE_DIR);
}

}  // namespace linefill::app

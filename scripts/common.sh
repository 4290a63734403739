# SPDX-License-Identifier: Apache-2.0
# What the scripts share; sourced after `set -euo pipefail`. Goes to the root of the source tree.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs="${LINEFILL_JOBS:-$(nproc)}"
source_folders=(model kernel scenarios measure app tests)

# build PRESET [TARGET...]: configures if need be and builds; says nothing of what is up to date.
build() {
    local preset="$1"
    shift
    cmake --preset "$preset" >"$(log_of "$preset")" || {
        cat "$(log_of "$preset")"
        return 1
    }
    cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}

log_of() {
    mkdir -p "build/$1"
    echo "build/$1/configure.log"
}

# All C++ files of the tree, sorted; found without git, which may be missing or distrust the owner.
list_sources() {
    local folder folders=()
    for folder in "${source_folders[@]}"; do
        [[ ! -d "$folder" ]] || folders+=("$folder")
    done
    find "${folders[@]}" -type f \( -name '*.cpp' -o -name '*.h' \) | LC_ALL=C sort
}

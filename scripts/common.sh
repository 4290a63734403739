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

# C++ files of ours, those not yet added to git included, deleted ones left out.
list_sources() {
    local file
    git ls-files --cached --others --exclude-standard -- "${source_folders[@]/%//*.cpp}" \
        "${source_folders[@]/%//*.h}" | LC_ALL=C sort -u | while read -r file; do
        [[ ! -f "$file" ]] || echo "$file"
    done
}

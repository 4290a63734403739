# SPDX-License-Identifier: Apache-2.0
# Language level, warnings and the build types behind the presets dev, release, asan and coverage.

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Dev, Release, Asan or Coverage" FORCE)
endif()
set_property(CACHE CMAKE_BUILD_TYPE PROPERTY STRINGS Dev Release Asan Coverage)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The standard library's checks are those that leave its types as they are, because system libraries
# are built without them.
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1 -D_GLIBCXX_ASSERTIONS -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -fno-plt")
set(CMAKE_CXX_FLAGS_ASAN
    "-O1 -g1 -D_GLIBCXX_ASSERTIONS -fno-omit-frame-pointer -fsanitize=address,undefined \
-fno-sanitize-recover=all")
set(CMAKE_EXE_LINKER_FLAGS_ASAN "-fsanitize=address,undefined")
set(CMAKE_CXX_FLAGS_COVERAGE "-O0 -g --coverage -fprofile-update=atomic")
set(CMAKE_EXE_LINKER_FLAGS_COVERAGE "--coverage")

add_library(linefill_options INTERFACE)
# -ffp-contract=off: results are the same bytes on every host, with fused multiply-add or without.
# Two warnings that g++ 12 gets wrong: -Wrestrict in std::string's operator+ (GCC bug 105651), and
# -Wmaybe-uninitialized in code instrumented by sanitizers, as its manual says.
target_compile_options(linefill_options INTERFACE
    -Wall -Wextra $<$<BOOL:${LINEFILL_WERROR}>:-Werror> -ffp-contract=off
    -Wno-restrict $<$<CONFIG:Asan>:-Wno-maybe-uninitialized>)
target_include_directories(linefill_options INTERFACE "${PROJECT_SOURCE_DIR}")
# LINEFILL_SOURCE_DIR is where data files (platforms, scenarios, layouts) are looked for last, after
# the places relative to the executable.
target_compile_definitions(linefill_options INTERFACE
    $<$<CONFIG:Asan>:LINEFILL_ASAN=1>
    LINEFILL_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    LINEFILL_VERSION="${PROJECT_VERSION}")

# What test sources alone are built with. To optimise them under the sanitizers takes g++ a third of
# the time to compile them, and gains little: what they call is in the layers, which are optimised.
add_library(linefill_test_options INTERFACE)
target_compile_options(linefill_test_options INTERFACE $<$<CONFIG:Asan>:-O0>)

# SPDX-License-Identifier: Apache-2.0
# GoogleTest's headers and the standard ones that tests include, parsed once for all test binaries of
# the sanitizers' build: with -O0 it saves half of the time to compile them. Tests include what they
# use all the same: all other builds, and clang-tidy, do without, and so do the layers.

# Not where tests are optimised: g++ 12 then warns of std::string's own code, whose place among the
# system's headers it forgets in a precompiled one. Nor under a compiler launcher: ccache mostly
# cannot see through such a header, and saves more.
set(precompile OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Asan" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(precompile ON)
endif()
option(LINEFILL_PCH "Precompile the headers that tests include" ${precompile})

# An object library of its own lends the headers, so that no test binary waits for another one.
if(LINEFILL_TESTS AND LINEFILL_PCH)
    # CMake wants a source.
    set(empty_source "${PROJECT_BINARY_DIR}/generated/test_headers.cpp")
    file(CONFIGURE OUTPUT "${empty_source}" CONTENT "// Only the precompiled header counts.\n")
    add_library(linefill_test_headers OBJECT EXCLUDE_FROM_ALL "${empty_source}")
    target_link_libraries(linefill_test_headers PRIVATE linefill_options linefill_test_options
                          GTest::gmock GTest::gtest)
    target_precompile_headers(linefill_test_headers PRIVATE
        <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits> <map>
        <memory> <optional> <set> <sstream> <stdexcept> <string> <string_view> <utility> <vector>
        <gmock/gmock.h> <gtest/gtest.h>)
endif()

# linefill_use_test_headers(TARGET): builds a test binary with the precompiled headers.
function(linefill_use_test_headers target)
    if(LINEFILL_PCH)
        target_precompile_headers(${target} REUSE_FROM linefill_test_headers)
    endif()
endfunction()

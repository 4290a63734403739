# SPDX-License-Identifier: Apache-2.0
# Outside libraries, each behind a target that carries all that its users must know.
# scripts/setup installs them.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
find_package(spdlog 1.10 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(LIBBPF REQUIRED IMPORTED_TARGET libbpf)

# The packaged SystemC is built for an older C++ standard than ours; its link-time check of the
# language version would refuse an otherwise compatible library.
add_library(linefill_systemc INTERFACE)
target_link_libraries(linefill_systemc INTERFACE PkgConfig::SYSTEMC Threads::Threads)
target_compile_definitions(linefill_systemc INTERFACE SC_DISABLE_API_VERSION_CHECK)

add_library(linefill_boost INTERFACE)
target_link_libraries(linefill_boost INTERFACE Boost::headers Boost::context)

add_library(linefill_toml INTERFACE)
target_link_libraries(linefill_toml INTERFACE PkgConfig::TOMLPLUSPLUS)

if(LINEFILL_TESTS)
    find_package(GTest 1.12 REQUIRED)
endif()
if(LINEFILL_BENCH)
    find_package(benchmark 1.7 REQUIRED)
endif()

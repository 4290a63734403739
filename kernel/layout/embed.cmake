# SPDX-License-Identifier: Apache-2.0
# Compiles kernel/layout/data/*.csv into the command, which so needs no files at run time.
# Included by the top CMakeLists.txt after the kernel layer; as a script
#   cmake -DOUTPUT=FILE.cpp -P kernel/layout/embed.cmake
# it writes the source file.

set(layout_data_folder "${CMAKE_CURRENT_LIST_DIR}/data")

if(CMAKE_SCRIPT_MODE_FILE)
    file(GLOB tables "${layout_data_folder}/*.csv")
    list(SORT tables)
    set(arrays "")
    set(entries "")
    set(index 0)
    foreach(table IN LISTS tables)
        get_filename_component(name "${table}" NAME)
        string(REGEX REPLACE "\\.csv$" "" name "${name}")
        file(READ "${table}" text)
        string(APPEND arrays "constexpr std::string_view kFile${index} = R\"csv(${text})csv\";\n\n")
        string(APPEND entries "    {\"${name}\", kFile${index}},\n")
        math(EXPR index "${index} + 1")
    endforeach()
    file(WRITE "${OUTPUT}" "\
// SPDX-License-Identifier: Apache-2.0
// Written by kernel/layout/embed.cmake from kernel/layout/data.
#include \"kernel/layout/shipped.h\"

namespace linefill::kernel {

namespace {

${arrays}}  // namespace

const ShippedFile kShippedFiles[] = {
${entries}};
const std::size_t kShippedFileCount = ${index};

}  // namespace linefill::kernel
")
    return()
endif()

file(GLOB layout_tables CONFIGURE_DEPENDS "${layout_data_folder}/*.csv")
set(layout_source "${PROJECT_BINARY_DIR}/generated/kernel_layout_data.cpp")
add_custom_command(
    OUTPUT "${layout_source}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${layout_source}" -P "${CMAKE_CURRENT_LIST_FILE}"
    DEPENDS ${layout_tables} "${CMAKE_CURRENT_LIST_FILE}"
    COMMENT "Writing the kernel layout tables as C++"
    VERBATIM)
target_sources(linefill_kernel PRIVATE "${layout_source}")

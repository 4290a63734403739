# SPDX-License-Identifier: Apache-2.0
# How the layers, the command, the tests and the benchmarks become targets.

# linefill_sources(VARIABLE FOLDER): the sources below a folder. A folder without any gets an empty
# one, so that the layers can grow in any order. main.cpp belongs to the executable alone.
function(linefill_sources variable folder)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
    list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/app/main.cpp")
    if(NOT sources)
        string(MAKE_C_IDENTIFIER "${folder}" name)
        set(sources "${PROJECT_BINARY_DIR}/generated/empty_${name}.cpp")
        file(CONFIGURE OUTPUT "${sources}" CONTENT "// There is no source file here yet.\n")
    endif()
    set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# linefill_layer(TARGET FOLDER [LOWER_LAYERS...]): one layer, as object files, because files that
# only register themselves under a name would be dropped from an archive. Objects do not travel
# through other libraries, so an executable names every layer that it needs.
function(linefill_layer target folder)
    linefill_sources(sources ${folder})
    add_library(${target} OBJECT ${sources})
    target_link_libraries(${target} PUBLIC linefill_options ${ARGN})
endfunction()

# linefill_hot(TARGET FOLDERS...): these folders of a layer are what a run spends its time in. Without
# merging of neighbouring loads and stores: counters are written one by one and would be read in pairs,
# for which the host must wait.
function(linefill_hot target)
    get_target_property(sources ${target} SOURCES)
    foreach(folder IN LISTS ARGN)
        set(hot ${sources})
        list(FILTER hot INCLUDE REGEX "/${folder}/")
        set_property(SOURCE ${hot} APPEND PROPERTY COMPILE_OPTIONS
                     $<$<CONFIG:Release>:-O3> $<$<CONFIG:Release>:-fno-tree-slp-vectorize>)
    endforeach()
endfunction()

# linefill_tests(LAYER LINKED_LAYERS...): all of tests/LAYER as one GoogleTest binary. CTest runs
# each case in a process of its own, since SystemC can be elaborated once per process. Suites named
# Slow... carry the label `slow`; `ctest -LE slow` is the fast set.
function(linefill_tests layer)
    set(target ${layer}_tests)
    linefill_sources(sources tests/${layer})
    add_executable(${target} ${sources} "${PROJECT_SOURCE_DIR}/tests/gtest_main.cpp")
    target_link_libraries(${target} PRIVATE ${ARGN} linefill_test_options GTest::gmock GTest::gtest)
    linefill_use_test_headers(${target})
    # Generous limits: they catch a hang, they do not judge speed on a loaded machine.
    set(common DISCOVERY_TIMEOUT 120 TEST_PREFIX "${layer}." WORKING_DIRECTORY
               "${PROJECT_SOURCE_DIR}")
    gtest_discover_tests(${target} ${common} TEST_FILTER "-Slow*:*/Slow*"
                         TEST_LIST ${target}_fast PROPERTIES TIMEOUT 600)
    gtest_discover_tests(${target} ${common} TEST_FILTER "Slow*:*/Slow*"
                         TEST_LIST ${target}_slow PROPERTIES TIMEOUT 1800 LABELS slow)
endfunction()

# linefill_benchmarks(TARGET FOLDER LINKED_LAYERS...): all benchmarks as one Google Benchmark binary.
function(linefill_benchmarks target folder)
    linefill_sources(sources ${folder})
    add_executable(${target} ${sources})
    target_link_libraries(${target} PRIVATE ${ARGN} benchmark::benchmark)
endfunction()

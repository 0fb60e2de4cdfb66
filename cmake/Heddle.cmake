# The project's own conventions: one folder = one target = one namespace = one include prefix.
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# Clones and worktrees share objects: paths inside the project are hashed relative to the build. (The
# sloppiness is what ccache's manual asks for with precompiled headers.)
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
    CCACHE_NOHASHDIR=true
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

# Libraries name those beside them by $ORIGIN: what is built is the same wherever it is built.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

# Warnings are errors for our own code, with the compiler that CI has: a newer one finds more to warn
# of. A target that links this opts in.
add_library(heddle_warnings INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # clang builds the libFuzzer targets only
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    set(warnings_are_errors -Werror)
  endif()
  # In a batch (below) a local name may be one that another file gives.
  target_compile_options(heddle_warnings INTERFACE -Wall -Wextra -Wpedantic
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow> -Wconversion
    -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
    ${warnings_are_errors}
    # What g++ 12 finds in the standard library and is not there (GCC bug 105329 and its like), the
    # more so as a system header's warnings are no longer known as such behind a precompiled header.
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# No FMA contraction: a simulated multiply and add stay two roundings.
add_library(heddle_options INTERFACE)
target_compile_options(heddle_options INTERFACE -ffp-contract=off -fno-math-errno)
# g++ looks for memory to free whenever it has used 128 MiB more, in a tenth of its time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(heddle_options INTERFACE --param=ggc-min-heapsize=524288)
endif()
target_include_directories(heddle_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:include/heddle>)
if(HEDDLE_SANITIZE)
  target_compile_definitions(heddle_options INTERFACE HEDDLE_SANITIZED)
  target_compile_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # which sees std::regex's members used before they are set
    target_compile_options(heddle_options INTERFACE -Wno-maybe-uninitialized)
  endif()
  # Lane functions are compiled with checks of arithmetic in each of these builds.
  target_link_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE},undefined)
endif()
if(HEDDLE_FUZZ)  # with HEDDLE_SANITIZE: libFuzzer sees which branches an input takes
  target_compile_options(heddle_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(HEDDLE_FUZZ_COVERAGE)  # and llvm-cov, for each line
  target_compile_options(heddle_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(heddle_options INTERFACE -fprofile-instr-generate)
endif()

# Most files take longer to read the standard library than to compile. Each set of compiler options
# therefore reads it once, for all targets that REUSE_FROM the target made here. What a header needs
# it includes nevertheless: CMAKE_DISABLE_PRECOMPILE_HEADERS builds without, as the preset thread and
# scripts/tidy.sh do.
set(HEDDLE_COMMON_HEADERS <algorithm> <array> <bit> <cstdint> <cstring> <filesystem> <fstream> <functional>
  <map> <memory> <optional> <set> <span> <stdexcept> <string> <string_view> <unordered_map> <utility>
  <vector> <fmt/format.h> <fmt/ranges.h>)
function(heddle_precompiled_headers name)
  cmake_parse_arguments(ARG "" "" "OPTIONS;HEADERS;LINK" ${ARGN})
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(${name} PRIVATE heddle_options heddle_warnings fmt::fmt ${ARG_LINK})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${HEDDLE_COMMON_HEADERS} ${ARG_HEADERS})
endfunction()
heddle_precompiled_headers(heddle_headers)

# Little optimisation is enough for tests, which are compiled more often than they are run, and for
# what reads words and writes text.
set(HEDDLE_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)
if(HEDDLE_SANITIZE)  # the checks of which take twice as long to compile with it
  set(HEDDLE_COLD_OPTIONS -O0)
endif()
heddle_precompiled_headers(heddle_cold_headers OPTIONS ${HEDDLE_COLD_OPTIONS})
if(BUILD_TESTING)
  heddle_precompiled_headers(heddle_test_headers OPTIONS -fPIE ${HEDDLE_COLD_OPTIONS}
    HEADERS <gtest/gtest.h> <gmock/gmock.h> LINK GTest::gtest GTest::gmock)
  set_target_properties(heddle_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endif()

# Most of the rest goes into the project's own headers, and into templates that many files use. A
# target's files are therefore compiled ten at a time, except those APART: they give names of their own
# to what another file of the target names so too. Who changes a file again and again turns it off, as
# then nothing but that file is compiled. The presets debug and thread do without, so that each file
# still compiles alone.
option(HEDDLE_BATCHES "Compile the files of a target in batches" ON)
function(heddle_in_batches target)
  cmake_parse_arguments(ARG "" "" "APART" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEDDLE_BATCHES} UNITY_BUILD_BATCH_SIZE 10)
  set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# heddle_library(isa SOURCES a.cpp … LINK heddle::x …): static library heddle_isa, alias heddle::isa.
# OPTIONS are the compiler's, and HEADERS the target whose precompiled headers were made with them.
# ONE_BY_ONE: not in batches, or the files APART are not.
function(heddle_library name)
  cmake_parse_arguments(ARG "ONE_BY_ONE" "HEADERS" "SOURCES;LINK;OPTIONS;APART" ${ARGN})
  add_library(heddle_${name} STATIC ${ARG_SOURCES})
  add_library(heddle::${name} ALIAS heddle_${name})
  target_link_libraries(heddle_${name} PUBLIC heddle_options ${ARG_LINK}
    PRIVATE $<BUILD_INTERFACE:heddle_warnings> $<BUILD_INTERFACE:fmt::fmt>)
  target_compile_options(heddle_${name} PRIVATE ${ARG_OPTIONS})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS heddle_headers)
  endif()
  target_precompile_headers(heddle_${name} REUSE_FROM ${ARG_HEADERS})
  if(NOT ARG_ONE_BY_ONE)
    heddle_in_batches(heddle_${name} APART ${ARG_APART})
  endif()
endfunction()

# heddle_test(isa SOURCES a_test.cpp … LINK heddle::isa): one test binary for a folder.
# IN_BATCHES: where no two files use a name differently, which files of tests often do.
# COMPUTES: the test's own code is most of its work, and is optimised under the sanitizers as well.
function(heddle_test name)
  cmake_parse_arguments(ARG "IN_BATCHES;COMPUTES" "" "SOURCES;LINK" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${ARG_LINK} heddle_options heddle_warnings GTest::gtest_main
    GTest::gmock fmt::fmt)
  if(NOT (ARG_COMPUTES AND HEDDLE_SANITIZE))
    target_compile_options(${name}_test PRIVATE ${HEDDLE_COLD_OPTIONS})
    target_precompile_headers(${name}_test REUSE_FROM heddle_test_headers)
  endif()
  if(ARG_IN_BATCHES)
    heddle_in_batches(${name}_test)
  endif()
  target_compile_definitions(${name}_test PRIVATE HEDDLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    HEDDLE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60)
endfunction()

# heddle_fuzzer(cubin SOURCES a.cpp … LINK heddle::isa): with HEDDLE_FUZZ a libFuzzer target,
# cubin_fuzzer; without it (and without sanitizers) a test, fuzz_seeds.cubin, that gives the target
# its seeds. (Changed ones, sh scripts/fuzz.sh --seeds T | T_seeds 60, still find something.)
function(heddle_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(HEDDLE_FUZZ)
    add_executable(${name}_fuzzer ${ARG_SOURCES})
    target_link_libraries(${name}_fuzzer PRIVATE ${ARG_LINK})
    target_link_options(${name}_fuzzer PRIVATE -fsanitize=fuzzer)
  elseif(BUILD_TESTING AND NOT HEDDLE_SANITIZE)
    add_executable(${name}_seeds ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz_seeds.cpp)
    target_link_libraries(${name}_seeds PRIVATE ${ARG_LINK})
    add_test(NAME fuzz_seeds.${name} COMMAND sh -c
      "'${PROJECT_SOURCE_DIR}/scripts/fuzz.sh' --seeds ${name} | '$<TARGET_FILE:${name}_seeds>' 0")
  endif()
endfunction()

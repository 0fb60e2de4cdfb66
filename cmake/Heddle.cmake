# The project's own conventions: one folder = one target = one namespace = one include prefix.
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(GTest REQUIRED)
include(GoogleTest)

# Clones and worktrees share objects: paths inside the project are hashed relative to the build.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
    CCACHE_NOHASHDIR=true ${CCACHE})
endif()

# Warnings are errors for our own code; a target that links this opts in.
add_library(heddle_warnings INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # clang builds the libFuzzer targets only
  target_compile_options(heddle_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Werror
    -Wno-restrict)  # g++ 12 finds overlaps in std::string that are not there (GCC bug 105329)
endif()

# No FMA contraction: a simulated multiply and add stay two roundings.
add_library(heddle_options INTERFACE)
target_compile_options(heddle_options INTERFACE -ffp-contract=off -fno-math-errno)
target_include_directories(heddle_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:include/heddle>)
if(HEDDLE_SANITIZE)
  target_compile_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer
    -Wno-maybe-uninitialized)  # g++ 12 sees std::regex's members used before they are set
  target_link_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE})
endif()
if(HEDDLE_FUZZ)
  target_compile_options(heddle_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize-recover=all -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(heddle_options INTERFACE -fsanitize=address,undefined -fprofile-instr-generate)
endif()

# What most files include is read once per library for the fuzz targets: their files take longer to
# read than to compile. (Not elsewhere, where ccache serves all and some files have options of their
# own.)
function(heddle_precompile target)
  if(HEDDLE_FUZZ)
    target_precompile_headers(${target} PRIVATE <algorithm> <cstdint> <filesystem> <functional> <map>
      <memory> <optional> <span> <string> <string_view> <vector> <fmt/format.h> <fmt/ranges.h> ${ARGN})
  endif()
endfunction()

# heddle_library(isa SOURCES a.cpp … LINK heddle::x …): static library heddle_isa, alias heddle::isa.
function(heddle_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(heddle_${name} STATIC ${ARG_SOURCES})
  add_library(heddle::${name} ALIAS heddle_${name})
  target_link_libraries(heddle_${name} PUBLIC heddle_options ${ARG_LINK}
    PRIVATE $<BUILD_INTERFACE:heddle_warnings>)
endfunction()

# heddle_test(isa SOURCES a_test.cpp … LINK heddle::isa): one test binary for a folder.
function(heddle_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${ARG_LINK} heddle_warnings GTest::gtest_main GTest::gmock)
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

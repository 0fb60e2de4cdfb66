# libcudart.so.12 beside libcudart.so.13: most functions are the same.
#
# heddle_forwards(source names previous folder): a source file in which each name of the list `names`
# jumps to the one of the list `previous` that means the same: that of the same name, or of the name
# without the version, because CUDA 13 gave the newest version the plain name. Those that the sources
# in `folder` define are left out.
set(HEDDLE_RENAMED
  cudaLaunchCooperativeKernelMultiDevice=
  cudaThreadExit=cudaDeviceReset
  cudaThreadGetCacheConfig=cudaDeviceGetCacheConfig
  cudaThreadGetLimit=cudaDeviceGetLimit
  cudaThreadSetCacheConfig=cudaDeviceSetCacheConfig
  cudaThreadSetLimit=cudaDeviceSetLimit
  cudaThreadSynchronize=cudaDeviceSynchronize)
function(heddle_forwards source names previous folder)
  file(STRINGS ${names} all)
  file(STRINGS ${previous} known)
  file(GLOB defining CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(own "")
  foreach(file IN LISTS defining)
    file(READ ${file} text)
    string(REGEX MATCHALL "HEDDLE_API_12 Error cuda[A-Za-z0-9_]+(##suffix)?" matches "${text}")
    foreach(match IN LISTS matches)
      string(REPLACE "HEDDLE_API_12 Error " "" name ${match})
      string(REPLACE "##suffix" "" plain ${name})
      list(APPEND own ${plain})
      if(NOT plain STREQUAL name)
        list(APPEND own ${plain}_ptsz)
      endif()
    endforeach()
  endforeach()
  set(forwards "")
  foreach(name IN LISTS all)
    string(REGEX REPLACE "_v[23]$" "" target ${name})
    string(REGEX REPLACE "_v[23]_ptsz$" "_ptsz" target ${target})
    foreach(pair IN LISTS HEDDLE_RENAMED)
      if(pair MATCHES "^${name}=(.*)$")
        set(target ${CMAKE_MATCH_1})
      endif()
    endforeach()
    if(NOT name IN_LIST own AND target IN_LIST known)
      string(APPEND forwards "HEDDLE_FORWARD(${name}, ${target})\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made from lists of exported names.
#define HEDDLE_FORWARD(name, target)                                                          \\
  __asm__(\".symver heddle_to_\" #name \", \" #target \"@libcudart.so.13\\n\"                     \\
          \".text\\n.balign 16\\n.globl \" #name \"\\n.type \" #name \", @function\\n\" #name     \\
          \":\\njmp *heddle_to_\" #name \"@GOTPCREL(%rip)\\n.size \" #name \", . - \" #name \"\\n\");

@forwards@")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names} ${previous})
endfunction()

# heddle_function_table(source names table version): a source file with the array `table` of the
# addresses of the functions in the list `names`, in its order. `version`: theirs, where
# they are in another library.
function(heddle_function_table source names table version)
  if(version)
    string(CONCAT declare "  extern \"C\" void heddle_of_##name(); \\\n"
      "  __asm__(\".symver heddle_of_\" #name \", \" #name \"@${version}\");")
  else()
    set(declare "  extern \"C\" void heddle_of_##name() __asm__(#name);")
  endif()
  file(STRINGS ${names} all)
  set(declarations "")
  set(addresses "")
  foreach(name IN LISTS all)
    string(APPEND declarations "HEDDLE_DECLARE(${name})\n")
    string(APPEND addresses "    reinterpret_cast<const void*>(&heddle_of_${name}),\n")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made from a list of exported names.
#define HEDDLE_DECLARE(name) \\
@declare@

@declarations@
extern \"C\" __attribute__((visibility(\"default\"))) const void* const @table@[] = {
@addresses@};
")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names})
endfunction()

# heddle_replacements(source names12 names13): the tables of redirect/functions.hpp.
function(heddle_replacements source names12 names13)
  file(STRINGS ${names12} in_12)
  file(STRINGS ${names13} in_13)
  set(all ${in_12} ${in_13})
  list(REMOVE_DUPLICATES all)
  list(SORT all COMPARE STRING)
  set(names "")
  set(places "")
  foreach(name IN LISTS all)
    list(FIND in_12 ${name} of_12)
    list(FIND in_13 ${name} of_13)
    string(APPEND names "    \"${name}\",\n")
    string(APPEND places "    {${of_12}, ${of_13}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made from lists of exported names.
#include \"gpu/runtime/redirect/functions.hpp\"

extern \"C\" const void* const heddle_cuda_12_functions[];
extern \"C\" const void* const heddle_cuda_13_functions[];

namespace heddle::runtime::redirect {
namespace {

constexpr std::string_view kNames[] = {
@names@};
constexpr struct {
  short of_12, of_13;  // -1: that version has no such function
} kPlaces[] = {
@places@};

}  // namespace

std::span<const std::string_view> names() { return kNames; }

Replacement replacement(std::size_t name) {
  const auto [of_12, of_13] = kPlaces[name];
  return {of_12 < 0 ? nullptr : heddle_cuda_12_functions[of_12],
          of_13 < 0 ? nullptr : heddle_cuda_13_functions[of_13]};
}

}  // namespace heddle::runtime::redirect
")
endfunction()

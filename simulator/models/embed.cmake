# Words joined as a sentence has them: "a, b or c".
function(heddle_join_words output last)
  set(words ${ARGN})
  list(POP_BACK words end)
  list(JOIN words ", " joined)
  set(${output} "${joined} ${last} ${end}" PARENT_SCOPE)
endfunction()

# Writes builtin_models.cpp: the TOML files of this folder as text in the program, in order of name,
# and the proof that each architecture has a default model; and builtin_model_names.hpp, for texts
# that name them.
function(heddle_embed_models output names)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.toml)
  list(SORT files)
  set(rows "")
  set(programs "")
  set(sketches "")
  set(defaults "")
  foreach(file ${files})
    get_filename_component(id ${file} NAME_WE)
    file(READ ${file} text)
    if(text MATCHES "\ncapability = ")
      list(APPEND sketches ${id})
    else()
      list(APPEND programs ${id})
    endif()
    if(text MATCHES "\nroles = [^\n]*\"default\"" AND text MATCHES "\narch = \"(sm_[0-9]+)\"")
      string(APPEND defaults "isa::Arch::${CMAKE_MATCH_1}, ")
    endif()
    string(APPEND rows "    {\"${id}\", R\"toml(${text})toml\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  heddle_join_words(programs or ${programs})
  heddle_join_words(sketches and ${sketches})
  file(CONFIGURE OUTPUT ${names} @ONLY CONTENT [[
// Made from simulator/models by models/embed.cmake.
#pragma once
#define HEDDLE_PROGRAM_MODELS "@programs@"
#define HEDDLE_SKETCH_MODELS "@sketches@"
]])
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// Made from simulator/models by models/embed.cmake.
#include "simulator/models/builtin_models.hpp"

#include <algorithm>

#include "isa/arch.hpp"

namespace heddle::simulator {
namespace {
constexpr BuiltinModel kModels[] = {
@rows@};

constexpr isa::Arch kHaveDefault[] = {@defaults@};
static_assert(std::ranges::all_of(isa::kAllArchs,
                                  [](isa::Arch arch) {
                                    return std::ranges::count(kHaveDefault, arch) == 1;
                                  }),
              "one model of each architecture in simulator/models has the role \"default\"");
}  // namespace
std::span<const BuiltinModel> builtin_models() { return kModels; }
}  // namespace heddle::simulator
]])
endfunction()

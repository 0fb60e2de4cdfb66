# Writes builtin_models.cpp: the TOML files of this folder as text in the program, in order of name.
function(heddle_embed_models output)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/models/*.toml)
  list(SORT files)
  set(rows "")
  foreach(file ${files})
    get_filename_component(id ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND rows "    {\"${id}\", R\"toml(${text})toml\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// Made from simulator/models by models/embed.cmake.
#include "simulator/models/builtin_models.hpp"

namespace heddle::simulator {
namespace {
constexpr BuiltinModel kModels[] = {
@rows@};
}  // namespace
std::span<const BuiltinModel> builtin_models() { return kModels; }
}  // namespace heddle::simulator
]])
endfunction()

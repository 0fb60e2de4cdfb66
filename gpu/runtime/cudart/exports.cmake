# From a list of exported names: a library's version script, and a source file that defines each name
# weakly as "not supported". A name that is implemented has a strong definition elsewhere, which the
# linker prefers; so there is one list, and nothing to keep in step with it.
#
#   version   of the names; empty: they have none
#   header    declares `refuse`, in `namespace`, which says so and gives `result`
#   arguments that follow: template arguments of `refuse`
function(heddle_exports list script source version header namespace result)
  file(STRINGS ${list} names)
  set(symbols "")
  set(stubs "")
  foreach(name IN LISTS names)
    string(APPEND symbols "    ${name};\n")
    string(APPEND stubs "HEDDLE_STUB(${name})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${script} @ONLY
    CONTENT "@version@ {\n  global:\n@symbols@  local: *;\n};\n")
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made from a list of exported names.
#include \"@header@\"

#define HEDDLE_STUB(name)                                                     \\
  extern \"C\" __attribute__((weak, visibility(\"default\"))) @result@ name() { \\
    return @namespace@::refuse@ARGN@(#name);                                 \\
  }

@stubs@")
  # What it defines weakly must not meet the other definitions' declarations.
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
endfunction()

# heddle_inner_names(list header prefix): a header by which what is called as in the list has a name with
# the prefix inside of the library. The name itself is then free for its entry.
function(heddle_inner_names list header prefix)
  file(STRINGS ${list} names)
  set(defines "")
  foreach(name IN LISTS names)
    string(APPEND defines "#define ${name} ${prefix}${name}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${header} @ONLY
    CONTENT "// Made from a list of exported names.\n#pragma once\n\n@defines@")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
endfunction()

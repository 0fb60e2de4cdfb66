# From the list of exported names: the version script of libcudart.so.13, and a source file that
# defines each name weakly as "not supported". A name that is implemented has a strong definition
# elsewhere, which the linker prefers; so there is one list, and nothing to keep in step with it.
function(heddle_cudart_exports list script source)
  file(STRINGS ${list} names)
  set(symbols "")
  set(stubs "")
  foreach(name IN LISTS names)
    string(APPEND symbols "    ${name};\n")
    string(APPEND stubs "HEDDLE_STUB(${name})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${script} @ONLY
    CONTENT "libcudart.so.13 {\n  global:\n@symbols@  local: *;\n};\n")
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made from exports.txt.
#include \"gpu/runtime/cudart/refuse.hpp\"

#define HEDDLE_STUB(name)                                                     \\
  extern \"C\" __attribute__((weak, visibility(\"default\"))) heddle::runtime::Error name() { \\
    return heddle::runtime::refuse(#name);                                     \\
  }

@stubs@")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
endfunction()

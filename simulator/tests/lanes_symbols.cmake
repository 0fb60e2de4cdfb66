# No object of a lane variant may define a symbol the linker could share with another variant: weak
# definitions (templates, inline functions) must lie in the variant's own namespace.
#   cmake -DNM=nm -DVARIANT=avx2 -DOBJECTS=a.o,b.o -P lanes_symbols.cmake
string(REPLACE "," ";" OBJECTS "${OBJECTS}")
execute_process(COMMAND ${NM} --defined-only ${OBJECTS} OUTPUT_VARIABLE symbols
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "nm failed")
endif()
string(REPLACE "\n" ";" symbols "${symbols}")
set(own 0)
foreach(symbol IN LISTS symbols)
  if(symbol MATCHES " [WVu] " AND NOT symbol MATCHES "5lanes[0-9]+${VARIANT}")
    # Tables of constants hold no code.
    if(NOT symbol MATCHES "mufu_tables|3isa[0-9]+k[A-Z]")
      message(SEND_ERROR "${VARIANT}: shared symbol ${symbol}")
    endif()
  elseif(symbol MATCHES "5lanes[0-9]+${VARIANT}")
    math(EXPR own "${own} + 1")
  endif()
endforeach()
if(own LESS 100)
  message(FATAL_ERROR "${VARIANT}: ${own} symbols, the objects are not what was meant")
endif()

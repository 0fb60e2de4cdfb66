# Read by cpack before it packs. Files in a package bear the date of the commit, so that the same
# sources give the same bytes; SOURCE_DATE_EPOCH overrides it.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)  # sources without their history
    file(TIMESTAMP ${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md date "%s" UTC)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${date})
endif()

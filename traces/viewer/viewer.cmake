# The viewer: one HTML file made by Vite, built into the traces library as text. What Vite needs is
# fetched beforehand (scripts/setup.sh); without it the build goes on, and heddle says so when a
# page is asked for. Sets HEDDLE_PAGE_TEMPLATE, a source file.
set(viewer ${CMAKE_CURRENT_SOURCE_DIR}/viewer)
set(page ${CMAKE_CURRENT_BINARY_DIR}/viewer/index.html)
set(HEDDLE_PAGE_TEMPLATE ${CMAKE_CURRENT_BINARY_DIR}/page_template.cpp)
find_program(HEDDLE_NODE node)
if(HEDDLE_NODE AND EXISTS ${viewer}/node_modules/vite/bin/vite.js AND EXISTS ${viewer}/node_modules/uplot)
  file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS ${viewer}/src/*)
  add_custom_command(OUTPUT ${page}
    COMMAND ${HEDDLE_NODE} node_modules/vite/bin/vite.js build --logLevel warn
      --outDir ${CMAKE_CURRENT_BINARY_DIR}/viewer
    DEPENDS ${viewer_sources} ${viewer}/index.html ${viewer}/package-lock.json
      ${viewer}/tsconfig.json ${viewer}/vite.config.ts
    WORKING_DIRECTORY ${viewer} VERBATIM)
else()
  message(STATUS "Node.js or the viewer's packages are not there (scripts/setup.sh fetches them): "
    "heddle step --html will not work")
  file(WRITE ${page} "")
endif()
add_custom_command(OUTPUT ${HEDDLE_PAGE_TEMPLATE}
  COMMAND ${CMAKE_COMMAND} -D INPUT=${page} -D OUTPUT=${HEDDLE_PAGE_TEMPLATE}
    -P ${viewer}/embed.cmake
  DEPENDS ${page} ${viewer}/embed.cmake VERBATIM)

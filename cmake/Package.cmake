# What is installed: the libraries for find_package(heddle), and packages by cpack.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(HEDDLE_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
list(TRANSFORM HEDDLE_ROOMS PREPEND heddle_simulator_ OUTPUT_VARIABLE HEDDLE_ROOM_TARGETS)
install(TARGETS heddle_options heddle_isa ${HEDDLE_ROOM_TARGETS} heddle_simulator
  EXPORT heddleTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set_target_properties(heddle_options PROPERTIES EXPORT_NAME options)
set_target_properties(heddle_isa PROPERTIES EXPORT_NAME isa)
foreach(room ${HEDDLE_ROOMS})
  set_target_properties(heddle_simulator_${room} PROPERTIES EXPORT_NAME simulator_${room})
endforeach()
set_target_properties(heddle_simulator PROPERTIES EXPORT_NAME simulator)
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION ${HEDDLE_CONFIG_DIR})
# Headers include each other from the root of the tree, here as installed.
install(DIRECTORY isa simulator DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle
  FILES_MATCHING PATTERN "*.hpp"
  PATTERN tests EXCLUDE PATTERN benchmarks EXCLUDE PATTERN fuzz EXCLUDE)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/heddleConfig.cmake.in
  ${PROJECT_BINARY_DIR}/heddleConfig.cmake INSTALL_DESTINATION ${HEDDLE_CONFIG_DIR}
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heddleConfig.cmake ${CMAKE_CURRENT_LIST_DIR}/heddleTest.cmake
  ${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake DESTINATION ${HEDDLE_CONFIG_DIR})

# What a package brings along: documents as they lie in the repository, so that their links hold;
# sketches to begin with, the Python module, the licence.
set(HEDDLE_DOC_DIR ${CMAKE_INSTALL_DATADIR}/doc/heddle)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${HEDDLE_DOC_DIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.warp" PATTERN "*.png")
foreach(file README.md CHANGELOG.md SECURITY.md CONTRIBUTING.md validation/DEVIATIONS.md
    gpu/runtime/README.md gpu/cupti/README.md)
  cmake_path(GET file PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${HEDDLE_DOC_DIR}/${folder})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/traces/kernels/
  DESTINATION ${HEDDLE_DOC_DIR}/examples
  FILES_MATCHING PATTERN "*.warp" PATTERN derived EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/python/heddle.py
  DESTINATION lib/python3/dist-packages)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright
  DESTINATION ${HEDDLE_DOC_DIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Heddle developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# The same permissions whatever the umask is.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PackagePermissions.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PackageMembers.cmake)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/PackageDate.cmake)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The stand-in lies in a folder of its own, found by the command alone.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/gpu/runtime)
include(CPack)

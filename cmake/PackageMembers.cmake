# Read by cpack when a package is written. It is an archive of three files that cpack has made with the
# permissions that the umask left, and here gets the same ones everywhere.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(folder ${package}.members)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ar x ${package} WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${package})
  # The order is the format's. D: members without dates and owners.
  execute_process(COMMAND ar qcD ${package} debian-binary control.tar.gz data.tar.gz
    WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${folder})
endforeach()

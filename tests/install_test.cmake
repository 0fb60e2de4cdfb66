# Installs what was built into a folder and uses it there as a stranger would: the command, and the
# libraries by find_package. Needs BUILD, the build tree, and SOURCE, this folder.
set(root ${BUILD}/install_test)
file(REMOVE_RECURSE ${root})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${root}/prefix)
run(${root}/prefix/bin/heddle occupancy --block 256 --registers 32)
run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${root}/consumer -DCMAKE_PREFIX_PATH=${root}/prefix
  -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${root}/consumer)
run(${root}/consumer/consumer)
if(NOT output MATCHES "NVIDIA H200: 8 blocks")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()

# Installs what was built into a folder and uses it there as a stranger would: the command, and the
# libraries by find_package. Needs BUILD, the build tree, SOURCE, this folder, and PROGRAM, one that
# launches kernels.
set(root ${BUILD}/install_test)
file(REMOVE_RECURSE ${root})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${root}/prefix)
file(GLOB installed RELATIVE ${root}/prefix ${root}/prefix/*)
list(REMOVE_ITEM installed bin include lib lib64 share)
if(installed)
  message(FATAL_ERROR "installed outside the usual folders: ${installed}")
endif()
run(${root}/prefix/bin/heddle occupancy --block 256 --registers 32)
run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${root}/consumer -DCMAKE_PREFIX_PATH=${root}/prefix
  -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${root}/consumer)
run(${root}/consumer/consumer)
if(NOT output MATCHES "NVIDIA H200: 8 blocks")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()

# Tests of a project, where none of the libraries' dependencies is there.
run(${CMAKE_COMMAND} -S ${SOURCE}/ci_consumer -B ${root}/ci -DCMAKE_PREFIX_PATH=${root}/prefix
  -DPROGRAM=${PROGRAM} -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON)
run(${CMAKE_COMMAND} --build ${root}/ci)
run(${CMAKE_CTEST_COMMAND} --test-dir ${root}/ci --output-on-failure --no-tests=error)
foreach(report passes.xml passes.sarif)
  if(NOT EXISTS ${root}/ci/reports/${report})
    message(FATAL_ERROR "heddle_add_test wrote no ${report}")
  endif()
endforeach()

# What a package holds besides.
run(${root}/prefix/bin/heddle --help)
string(REGEX MATCH "Commands:.*Options:" commands "${output}")
string(REGEX MATCHALL "\n  [a-z]+ " commands "${commands}")
list(LENGTH commands count)
if(count LESS 14)
  message(FATAL_ERROR "heddle --help names ${count} commands")
endif()
list(TRANSFORM commands REPLACE "\n  ([a-z]+) " "share/man/man1/heddle-\\1.1")
foreach(file ${commands} share/man/man1/heddle.1 share/doc/heddle/copyright
    share/doc/heddle/docs/tuning/transpose_naive.warp share/doc/heddle/README.md
    share/bash-completion/completions/heddle share/zsh/vendor-completions/_heddle
    share/fish/vendor_completions.d/heddle.fish lib/python3/dist-packages/heddle.py
    share/heddle/python/startup/heddle_jax.py share/heddle/python/startup/heddle_torch.py share/heddle/python/startup/heddle_torch-1.dist-info/entry_points.txt
    share/doc/heddle/examples/simple_divergence.warp share/doc/heddle/docs/ci.md)
  if(NOT EXISTS ${root}/prefix/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
# Installed documents name only what is installed.
set(documents ${root}/prefix/share/doc/heddle)
set(check_links ${CMAKE_COMMAND} -DFOLDER=${documents} -P ${CMAKE_CURRENT_LIST_DIR}/check_links.cmake)
run(${check_links})
# And the check finds a link into nowhere.
file(REMOVE ${documents}/docs/ci.md)
execute_process(COMMAND ${check_links} RESULT_VARIABLE status ERROR_VARIABLE message)
string(REGEX REPLACE "[ \n]+" " " message "${message}")  # which CMake breaks into lines
if(status EQUAL 0 OR NOT message MATCHES "links to [a-z/]*ci.md, which is not")
  message(FATAL_ERROR "a removed document was not missed: ${message}")
endif()
run(${root}/prefix/bin/heddle run ${root}/prefix/share/doc/heddle/examples/simple_divergence.warp)
if(NOT output MATCHES "mathKernel1")
  message(FATAL_ERROR "the example printed: ${output}")
endif()

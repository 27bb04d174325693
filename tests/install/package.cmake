# Makes the Debian package of BUILD below WORK, looks at what it needs and has, and runs its program.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/tools.cmake)

function(require_all text)
  foreach(part ${ARGN})
    if(NOT text MATCHES "${part}")
      message(FATAL_ERROR "There is no '${part}' in:\n${text}")
    endif()
  endforeach()
endfunction()

run(${CMAKE_CPACK_COMMAND} --config ${BUILD}/CPackConfig.cmake -B ${WORK})
file(GLOB package ${WORK}/kickdrift_*.deb)
run(${DPKG_DEB} --field ${package} Package Version Depends)
require_all("${printed}" "Package: kickdrift" "libdeal.ii-dev" "libdeal.ii-9" "libc6")
run(${DPKG_DEB} --contents ${package})
require_all("${printed}" "usr/bin/kickdrift" "include/kickdrift/stepping/stepper.h"
            "KickDriftConfig.cmake" "share/kickdrift/prm/two_elastic_bars.prm"
            "bash-completion/completions/kickdrift" "tutorial/step-1/asynchronous.cc"
            "usr/bin/kickdrift-render" "doc/KickDrift/parameters.md")
run(${DPKG_DEB} --extract ${package} ${WORK}/unpacked)
run(${WORK}/unpacked/usr/bin/${PROGRAM} --version)
require_all("${printed}" "^kickdrift ")
# without arguments it knows where its cases are
execute_process(COMMAND ${WORK}/unpacked/usr/bin/${PROGRAM} WORKING_DIRECTORY ${WORK}
                ERROR_VARIABLE printed)
require_all("${printed}" "unpacked/usr/share/kickdrift/prm/two_elastic_bars.prm")
# the link leads to a script that finds what belongs to it
run(${WORK}/unpacked/usr/bin/kickdrift-plot --help)
require_all("${printed}" "RUN_DIR")

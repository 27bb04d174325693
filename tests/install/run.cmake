# Installs BUILD below WORK, moves the installed tree, builds and runs CONSUMER against it.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# An installed tree may be moved.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/staging)
file(RENAME ${WORK}/staging ${WORK}/installed)
file(GLOB program ${WORK}/installed/bin/kickdrift*)
run(${program} --version)

set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER}
              -D CMAKE_PREFIX_PATH=${WORK}/installed)
run(${configure} -B ${WORK}/consumer -D CMAKE_BUILD_TYPE=${BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/oscillator)
run(${WORK}/consumer/oscillator_deal_ii)

# The flavour that is not installed is refused when the consumer is configured.
if(BUILD_TYPE STREQUAL "Debug")
  set(other Release)
else()
  set(other Debug)
endif()
execute_process(COMMAND ${configure} -B ${WORK}/other_flavour -D CMAKE_BUILD_TYPE=${other}
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE messages)
string(REGEX REPLACE "[ \n]+" " " messages "${messages}")
if(status EQUAL 0 OR NOT messages MATCHES "KickDrift is not installed in the flavour ${other}")
  message(FATAL_ERROR "A consumer of flavour ${other} was not refused:\n${messages}")
endif()

# What the tests of the installation share: an empty folder WORK, run(), and the flavour that BUILD has
# not, other.
file(REMOVE_RECURSE ${WORK})

# run(command...): ends the test if the command fails; what it prints is shown, and is in printed.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE printed
                  ECHO_OUTPUT_VARIABLE)
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

if(BUILD_TYPE STREQUAL "Debug")
  set(other Release)
else()
  set(other Debug)
endif()

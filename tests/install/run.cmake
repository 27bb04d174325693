# Installs BUILD below WORK, moves the installed tree, builds and runs CONSUMER against it.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/tools.cmake)

# An installed tree may be moved.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/staging)
file(RENAME ${WORK}/staging ${WORK}/installed)
file(GLOB program ${WORK}/installed/bin/kickdrift ${WORK}/installed/bin/kickdrift.g) # one of them
run(${program} --version)

set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER}
              -D CMAKE_PREFIX_PATH=${WORK}/installed)
run(${configure} -B ${WORK}/consumer -D CMAKE_BUILD_TYPE=${BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/oscillator)
run(${WORK}/consumer/oscillator_deal_ii)
run(${program} --print-parameters --set Dimension=2
    --set "Additional shared libraries=${WORK}/consumer/libsoft_foam.so")
if(NOT printed MATCHES "set Foam modulus")
  message(FATAL_ERROR "The plugin did not register its material:\n${printed}")
endif()

# expect_refusal(name message argument...): what does not fit is refused when a project is
# configured with these arguments, with a message that matches.
function(expect_refusal name message)
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -B ${WORK}/${name}
                          -D CMAKE_PREFIX_PATH=${WORK}/installed ${ARGN}
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE messages)
  string(REGEX REPLACE "[ \n]+" " " messages "${messages}")
  if(status EQUAL 0 OR NOT messages MATCHES "${message}")
    message(FATAL_ERROR "The consumer '${name}' was not refused:\n${messages}")
  endif()
endfunction()

# The flavour that is not installed.
expect_refusal(other_flavour "KickDrift is not installed in the flavour ${other}" -S ${CONSUMER}
               -D CMAKE_BUILD_TYPE=${other})

# Another version of KickDrift, newer or older than the installed one.
foreach(version 9 0.0.1)
  file(WRITE ${WORK}/wants_${version}/CMakeLists.txt
       "cmake_minimum_required(VERSION 3.25)\nproject(Wants LANGUAGES CXX)\n"
       "find_package(KickDrift ${version} REQUIRED)\n")
  expect_refusal(wants_${version}/build
                 "compatible with requested version \"${version}\".*KickDriftConfig.cmake, version: 0.1"
                 -S ${WORK}/wants_${version} -D CMAKE_BUILD_TYPE=${BUILD_TYPE})
endforeach()

# Another deal.II, that a project has found before.
file(WRITE ${WORK}/other_deal_ii/deal.IIConfig.cmake "set(DEAL_II_VERSION 99.0.0)\n")
file(WRITE ${WORK}/wants_other_deal_ii/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.25)\nproject(Wants LANGUAGES CXX)\n"
     "find_package(deal.II REQUIRED PATHS ${WORK}/other_deal_ii NO_DEFAULT_PATH)\n"
     "find_package(KickDrift REQUIRED)\n")
expect_refusal(wants_other_deal_ii/build
               "KickDrift was built with deal.II [0-9.]+, this project uses 99.0.0"
               -S ${WORK}/wants_other_deal_ii -D CMAKE_BUILD_TYPE=${BUILD_TYPE})

# Installs two flavours, Release and Debug, into one prefix below WORK and looks at which of them the
# project CONSUMER gets.
#
# Real are: the installed BUILD, which has one flavour; for the other one, configuration, linking and
# installation of SOURCE, with all names, CMake files and headers; and the commands by which the
# consumer would be linked. Not real is the code of the other flavour: its sources are taken for empty
# ones, as compiling them takes half an hour. So the consumer is built and run with BUILD only.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/tools.cmake)

# Compiles an empty source in place of the last argument; what becomes a program does nothing.
file(WRITE ${WORK}/empty.cc "")
file(WRITE ${WORK}/empty_main.cc "int main() { return 0; }\n")
file(WRITE ${WORK}/launcher [=[#!/bin/sh
here="$(dirname "$0")"
left=$#
for argument; do
  shift
  left=$((left - 1))
  case "$left:$argument" in
    0:*/source/main.cc) argument="$here/empty_main.cc" ;;
    0:*) argument="$here/empty.cc" ;;
  esac
  set -- "$@" "$argument"
done
exec "$@"
]=])
file(CHMOD ${WORK}/launcher PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/other -D CMAKE_BUILD_TYPE=${other}
    -D BUILD_TESTING=OFF -D KICKDRIFT_PRECOMPILED_HEADERS=OFF -D CMAKE_UNITY_BUILD=ON
    -D CMAKE_CXX_COMPILER_LAUNCHER=${WORK}/launcher
    -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D DEAL_II_DIR=${DEAL_II_DIR}
    -D CMAKE_INSTALL_LIBDIR=${LIBDIR} -D CMAKE_INSTALL_BINDIR=${BINDIR})
# not the pages that the program writes about itself, which are optional
run(${CMAKE_COMMAND} --build ${WORK}/other --parallel 2 --target kickdrift)

# Either order will do: the files that both install are the same.
function(hash_common_files result)
  file(GLOB_RECURSE files ${WORK}/installed/*KickDriftConfig*.cmake ${WORK}/installed/*.h)
  set(hashes)
  foreach(file ${files})
    file(SHA256 ${file} hash)
    list(APPEND hashes "${file} ${hash}")
  endforeach()
  set(${result} "${hashes}" PARENT_SCOPE)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
hash_common_files(before)
run(${CMAKE_COMMAND} --install ${WORK}/other --prefix ${WORK}/installed)
hash_common_files(after)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "Flavour ${other} has replaced files of ${BUILD_TYPE} by others:\n"
                      "${before}\n${after}")
endif()
foreach(program kickdrift kickdrift.g)
  if(NOT EXISTS ${WORK}/installed/${BINDIR}/${program})
    message(FATAL_ERROR "There is no program ${program}.")
  endif()
endforeach()

# expect_linked(type postfix other_postfix): a consumer of this build type is linked to the libraries
# KickDrift and deal.II that end like this, not to those of the other flavour. (deal.II's is called
# libdeal_II, Debian's libdeal.ii.)
function(expect_linked type postfix other_postfix)
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${WORK}/consumer_${type}
      -D CMAKE_PREFIX_PATH=${WORK}/installed -D CMAKE_BUILD_TYPE=${type})
  # only prints the commands
  run(${CMAKE_COMMAND} --build ${WORK}/consumer_${type} --verbose -- -n)
  foreach(program oscillator oscillator_deal_ii)
    # make has them in files
    file(GLOB link ${WORK}/consumer_${type}/CMakeFiles/${program}.dir/link.txt)
    if(link)
      file(READ ${link} printed)
    endif()
    string(REGEX MATCH "[^\n]* -o ${program} [^\n]*" command "${printed}")
    foreach(library "kickdrift" "deal[._](ii|II)")
      if(NOT command MATCHES "/lib${library}${postfix}"
         OR command MATCHES "/lib${library}${other_postfix}")
        message(FATAL_ERROR "A consumer of type '${type}' is linked to other libraries than "
                            "lib${library}${postfix}:\n${command}\nin\n${printed}")
      endif()
    endforeach()
  endforeach()
endfunction()
expect_linked(Release "[.]so" "[.]g[.]so")
expect_linked(Debug "[.]g[.]so" "[.]so")

# The real flavour works beside the other one.
run(${CMAKE_COMMAND} --build ${WORK}/consumer_${BUILD_TYPE} --target oscillator)
run(${WORK}/consumer_${BUILD_TYPE}/oscillator)

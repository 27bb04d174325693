# kickdrift_test_classes(result script [class...]): the classes that a script of Python's unittest has
# itself, so that each gets a CTest, without those given and those that others of them are made of, if
# their names end in Test. CMake runs anew when the script changes.
function(kickdrift_test_classes result script)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                         ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/${script} lines REGEX "^class [A-Za-z0-9_]+\\(")
  set(classes "")
  foreach(line ${lines})
    string(REGEX REPLACE "^class ([A-Za-z0-9_]+)\\(.*" "\\1" class "${line}")
    if(class IN_LIST ARGN OR (class MATCHES "Test$" AND lines MATCHES "[(, ]${class}[,)]"))
      continue()
    endif()
    list(APPEND classes ${class})
  endforeach()
  if(NOT classes)
    message(FATAL_ERROR "There is no test in ${script}.")
  endif()
  set(${result} ${classes} PARENT_SCOPE)
endfunction()

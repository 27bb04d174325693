# Manual page, written from what the program says about itself, tests that doc/parameters.md is and
# that links lead somewhere, and the target 'doc'.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/kickdrift.1
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/contrib/man_page.py
            $<TARGET_FILE:kickdrift> ${PROJECT_BINARY_DIR}/kickdrift.1
    DEPENDS kickdrift contrib/man_page.py
    VERBATIM)
  add_custom_target(reference ALL DEPENDS ${PROJECT_BINARY_DIR}/kickdrift.1)
  install(FILES ${PROJECT_BINARY_DIR}/kickdrift.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
  if(BUILD_TESTING)
    add_test(NAME doc.parameters
             COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/contrib/parameter_page.py --check
                     $<TARGET_FILE:kickdrift> ${PROJECT_SOURCE_DIR}/doc/parameters.md)
    add_test(NAME doc.links COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/contrib/check_links.py)
  endif()
endif()

# Pages of the library, theory, parameters and tutorial. What has no documentation is an error.
find_package(Doxygen)
if(Python3_FOUND AND DOXYGEN_FOUND)
  configure_file(doc/Doxyfile.in Doxyfile @ONLY)
  set(doxygen ${DOXYGEN_EXECUTABLE} ${PROJECT_BINARY_DIR}/Doxyfile)
  add_custom_target(doc COMMAND ${doxygen} VERBATIM)
  add_dependencies(doc reference)
  if(BUILD_TESTING)
    add_test(NAME doc.complete COMMAND ${doxygen})
  endif()
endif()

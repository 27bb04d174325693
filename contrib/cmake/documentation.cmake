# Manual page and reference of parameters, written from what the program says about itself, and the
# target 'doc'.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  # written_by(file script): a file that a script of contrib writes after asking the program
  function(kickdrift_written_by file script)
    add_custom_command(
      OUTPUT ${PROJECT_BINARY_DIR}/${file}
      COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/contrib/${script}
              $<TARGET_FILE:kickdrift> ${PROJECT_BINARY_DIR}/${file}
      DEPENDS kickdrift contrib/${script}
      VERBATIM)
  endfunction()
  kickdrift_written_by(kickdrift.1 man_page.py)
  kickdrift_written_by(parameters.md parameter_page.py)
  add_custom_target(reference ALL DEPENDS ${PROJECT_BINARY_DIR}/kickdrift.1
                                          ${PROJECT_BINARY_DIR}/parameters.md)
  install(FILES ${PROJECT_BINARY_DIR}/kickdrift.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
  install(FILES ${PROJECT_BINARY_DIR}/parameters.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
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

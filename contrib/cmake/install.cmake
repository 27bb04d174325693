# Installation and the package that find_package(KickDrift) reads.
#
# deal.II has two flavours that must not be mixed in one program, and so has KickDrift: Release
# (libkickdrift.so, kickdrift) and Debug (libkickdrift.g.so, kickdrift.g). Two build trees may be
# installed into one prefix; the package picks the flavour as deal.II does.
include(CMakePackageConfigHelpers)

set(KICKDRIFT_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/KickDrift)

set_target_properties(kickdrift_library kickdrift PROPERTIES DEBUG_POSTFIX .g)
file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(kickdrift PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")

install(TARGETS kickdrift_library EXPORT KickDriftTargets)
install(TARGETS kickdrift)
include(contrib/cmake/public_headers.cmake)
kickdrift_reached_headers(headers ${KICKDRIFT_PUBLIC_HEADERS})
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES include/kickdrift/${header}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kickdrift/${folder})
endforeach()
install(DIRECTORY prm DESTINATION ${CMAKE_INSTALL_DATADIR}/kickdrift)
# The scripts that draw results, as kickdrift-plot, kickdrift-render and kickdrift-animate in PATH.
install(PROGRAMS contrib/plot.py contrib/render.py contrib/animate.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/kickdrift)
install(FILES contrib/find_matplotlib.py contrib/low_pass.py DESTINATION ${CMAKE_INSTALL_DATADIR}/kickdrift)
file(RELATIVE_PATH bin_to_data /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_DATADIR}/kickdrift)
foreach(script plot render animate)
  set(link ${CMAKE_INSTALL_BINDIR}/kickdrift-${script})
  install(CODE "file(CREATE_LINK ${bin_to_data}/${script}.py
                     \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${link}\" SYMBOLIC)")
endforeach()
install(DIRECTORY doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL PATTERN "Doxyfile.in" EXCLUDE
        PATTERN "*.dox" EXCLUDE)
install(FILES contrib/kickdrift.bash-completion
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kickdrift)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT KickDriftTargets NAMESPACE KickDrift::
        DESTINATION ${KICKDRIFT_CONFIG_DIR}/${KICKDRIFT_FLAVOUR})
configure_file(contrib/cmake/KickDriftConfig.cmake.in KickDriftConfig.cmake @ONLY)
write_basic_package_version_file(KickDriftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/KickDriftConfig.cmake
              ${PROJECT_BINARY_DIR}/KickDriftConfigVersion.cmake contrib/cmake/linker.cmake
        DESTINATION ${KICKDRIFT_CONFIG_DIR})

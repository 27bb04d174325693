# A Debian package: 'cpack' in the build folder.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kickdrift)
set(CPACK_PACKAGE_CONTACT "KickDrift developers <kickdrift@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "asynchronous explicit dynamics and contact for deal.II")
set(CPACK_PACKAGE_DESCRIPTION
    "Program and library for explicit dynamics of elastic bodies in contact, in which every cell
keeps the time step that its own size and material allow. Built on deal.II; its solvers can add
asynchronous stepping and contact with a few lines.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# the libraries that program and library are linked to; headers and deal.II's CMake files for users
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libdeal.ii-dev (>= ${DEAL_II_VERSION})")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-matplotlib") # for kickdrift-plot, kickdrift-render
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "paraview")
include(CPack)

# With the compiler's own linker it takes minutes to link a program with deal.II 9.6 or later from
# Debian, and all that it depends on; with mold seconds. Debian 13's deal.II asks for mold, on which
# its package does not depend, and that of Debian unstable does not ask for it: it is used where it is
# installed. (Included by KickDriftConfig.cmake, too.)
if(NOT DEAL_II_VERSION VERSION_LESS 9.6)
  find_program(KICKDRIFT_MOLD NAMES ld.mold NO_CACHE)
  string(REPLACE "-fuse-ld=mold" "" DEAL_II_LINKER_FLAGS "${DEAL_II_LINKER_FLAGS}")
  if(KICKDRIFT_MOLD)
    string(APPEND DEAL_II_LINKER_FLAGS " -fuse-ld=mold")
  else()
    message(STATUS "The linker mold is not installed: with another one it takes minutes to link")
  endif()
endif()

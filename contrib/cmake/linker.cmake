# Debian 13's deal.II (9.6.2) has what uses it linked by mold, on which its package does not
# depend: deal_ii_setup_target() then takes the compiler's own linker. Where mold is installed it stays,
# since it is faster. (Included by KickDriftConfig.cmake, too.)
if(DEAL_II_LINKER_FLAGS MATCHES "-fuse-ld=mold")
  find_program(KICKDRIFT_MOLD NAMES ld.mold NO_CACHE)
  if(NOT KICKDRIFT_MOLD)
    message(STATUS "The linker mold, which deal.II asks for, is not installed: going on with another")
    string(REPLACE "-fuse-ld=mold" "" DEAL_II_LINKER_FLAGS "${DEAL_II_LINKER_FLAGS}")
  endif()
endif()

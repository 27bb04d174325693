# Unity builds: several sources are compiled as one, which spares most of the time of a build, since
# each file pays for the templates of deal.II's headers. contrib/build.sh asks for them
# (CMAKE_UNITY_BUILD); who changes one file at a time is better off without.

# kickdrift_group_sources(target): sources of a folder are compiled together, eight at most, so names
# without linkage are unique in a folder. The files over which the members of a class are spread
# instantiate it each for itself, which needs translation units of their own.
function(kickdrift_group_sources target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    if(NOT source MATCHES "\\.cc$")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    file(STRINGS ${source} classes REGEX "^template class ")
    list(TRANSFORM classes REPLACE "^template class ([A-Za-z]+).*" "\\1")
    list(REMOVE_DUPLICATES classes)
    foreach(number RANGE 99)
      set(group ${folder}_${number})
      list(LENGTH ${group}_sources size)
      set(instantiated ${classes})
      list(REMOVE_ITEM instantiated ${${group}_classes} "")
      if(size LESS 8 AND "${instantiated}" STREQUAL "${classes}")
        break()
      endif()
    endforeach()
    list(APPEND ${group}_sources ${source})
    list(APPEND ${group}_classes ${classes})
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

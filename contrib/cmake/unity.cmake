# Unity builds: several sources are compiled as one, which spares most of the time of a build, since
# each file pays for the templates of deal.II's headers. contrib/build.sh asks for them
# (CMAKE_UNITY_BUILD); who changes one file at a time is better off without.

# kickdrift_group_sources(target): sources of a folder are compiled together, eight at most. Kept apart are
# those that seem to define the same name, which may be one without linkage, and those over which the members
# of a class are spread, since each of them instantiates it.
function(kickdrift_group_sources target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set(definitions
      "^template class ([A-Za-z]+)<.*"
      "^struct ([A-Za-z_0-9]+)( .*)?$"
      "^class ([A-Za-z_0-9]+)( .*)?$"
      "^using ([A-Za-z_0-9]+) = .*"
      "^([a-z_0-9]+)\\(.*"
      "^const[expr]* [^=({]* ([A-Za-z_0-9]+)( =|\\(|{).*")
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  get_target_property(base ${target} SOURCE_DIR)
  foreach(source ${sources})
    if(NOT source MATCHES "\\.cc$")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${base})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    set(names "")
    foreach(definition ${definitions})
      file(STRINGS ${source} lines REGEX "${definition}")
      list(TRANSFORM lines REPLACE "${definition}" "\\1")
      list(APPEND names ${lines})
    endforeach()
    list(REMOVE_DUPLICATES names)
    foreach(number RANGE 99)
      set(group ${folder}_${number})
      list(LENGTH ${group}_sources size)
      set(new_names ${names})
      list(REMOVE_ITEM new_names ${${group}_names} "")
      if(size LESS 8 AND "${new_names}" STREQUAL "${names}")
        break()
      endif()
    endforeach()
    list(APPEND ${group}_sources ${source})
    list(APPEND ${group}_names ${names})
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

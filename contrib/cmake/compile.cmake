# How the library, its program and its tests are compiled.

# kickdrift_set_up(target): deal.II's flags, warnings, and what must be the same wherever the
# precompiled headers are used.
function(kickdrift_set_up target)
  deal_ii_setup_target(${target})
  # The library's precompiled headers serve programs, too: compilers refuse those of other code, such
  # as the -fPIE that the property POSITION_INDEPENDENT_CODE means for programs.
  target_compile_options(${target} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIC})
  # deal.II's flags ask for the inner braces of every std::array
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-braces)
  # Debian builds deal.II with GCC and hands on options that Clang does not know.
  target_compile_options(
    ${target} PRIVATE
    $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-warning-option;-Wno-ignored-optimization-argument>)
  if(KICKDRIFT_SANITIZE STREQUAL "address")
    # Null pointers are found by the address sanitizer, too; without these checks, and with no more
    # debug information than lines, everything compiles in two thirds of the time.
    set(sanitizers -fsanitize=address,undefined)
    target_compile_options(
      ${target} PRIVATE ${sanitizers} -fno-sanitize=null,vptr,alignment
                        -fno-sanitize-recover=undefined -g1)
    target_link_options(${target} PRIVATE ${sanitizers})
  elseif(KICKDRIFT_SANITIZE STREQUAL "thread")
    target_compile_options(${target} PRIVATE -fsanitize=thread -g1)
    target_link_options(${target} PRIVATE -fsanitize=thread)
  endif()
  # Debian hands on the flags its own packages are built with. Loops over the three entries of a
  # vector need no guards of the stack, square roots no errno; lines are enough to read a backtrace.
  target_compile_options(
    ${target} PRIVATE $<$<CONFIG:Release>:-g1;-fno-math-errno;-fno-stack-protector>)
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC takes files other than the one it is called for for headers, in which types without linkage
    # would be a mistake.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# The headers that most sources read: nearly all of the time to compile a small file goes into these.
# A file pays for what is in them, too, so the rooms that know no meshes have smaller ones. The tests
# always use them, the library if KICKDRIFT_PRECOMPILED_HEADERS is ON.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cc CONTENT "")
function(kickdrift_precompile target)
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled.cc)
  kickdrift_set_up(${target})
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()
set(core_headers
    <algorithm>
    <array>
    <cmath>
    <functional>
    <map>
    <memory>
    <set>
    <sstream>
    <string>
    <vector>
    <deal.II/base/array_view.h>
    <deal.II/base/exceptions.h>
    <deal.II/base/parameter_handler.h>
    <deal.II/base/symmetric_tensor.h>
    <deal.II/base/utilities.h>)
kickdrift_precompile(kickdrift_precompiled_core ${core_headers})
kickdrift_precompile(
  kickdrift_precompiled
  ${core_headers}
  <filesystem>
  <deal.II/base/function_parser.h>
  <deal.II/dofs/dof_handler.h>
  <deal.II/fe/mapping.h>
  <deal.II/lac/full_matrix.h>
  <deal.II/lac/vector.h>)

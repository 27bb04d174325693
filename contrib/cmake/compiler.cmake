# What the kernels ask of a compiler: vectors of four numbers, conditions and shuffles of their lanes.
include(CheckCXXSourceCompiles)
set(CMAKE_TRY_COMPILE_TARGET_TYPE_BEFORE "${CMAKE_TRY_COMPILE_TARGET_TYPE}")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
check_cxx_source_compiles(
  "typedef double Lanes __attribute__((vector_size(32)));
   typedef long long Integers __attribute__((vector_size(32)));
   Lanes f(Lanes x, Lanes y)
   {
     const Integers bits = (Integers)x >> 52;
     return bits == 0 ? y + 1. : __builtin_shufflevector(x, y, 0, 4, 2, 6);
   }"
  KICKDRIFT_HAS_LANES)
set(CMAKE_TRY_COMPILE_TARGET_TYPE "${CMAKE_TRY_COMPILE_TARGET_TYPE_BEFORE}")
if(NOT KICKDRIFT_HAS_LANES)
  message(
    FATAL_ERROR
      "${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}) lacks vectors "
      "with conditions and __builtin_shufflevector, which the kernels are written with. GCC has them "
      "since version 12; Clang 14 is known to have them. CXX=g++-12, for example, or "
      "-DCMAKE_CXX_COMPILER=... choose another compiler in a new build folder.")
endif()

# Kernels are compiled once for each instruction set; which one runs is decided at run time. The sets
# of this build are in STERNA_KERNEL_SETS, and in kernel_sets.hpp for the tables of kernels.
set(STERNA_KERNELS all CACHE STRING
    "Instruction sets of the kernels: all, native, the widest one of this processor alone, or a list")

set(STERNA_ALL_KERNEL_SETS baseline avx2 avx512 neon sve256 sve512)
set(STERNA_KERNEL_SETS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(STERNA_KERNEL_SETS baseline avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
  set(STERNA_KERNEL_SETS baseline neon)
  # macOS has no SVE of a fixed length, and compilers before GCC 10 and clang 12 lack it.
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-march=armv8.2-a+sve -msve-vector-bits=512")
  check_cxx_source_compiles(
    "#include <arm_sve.h>
     #include <sys/prctl.h>
     typedef double Vector __attribute__((vector_size(64)));
     Vector root(Vector x) { return svsqrt_f64_x(svptrue_b64(), x); }
     int main() { return PR_SVE_GET_VL == 0; }"
    STERNA_HAS_FIXED_SVE)
  unset(CMAKE_REQUIRED_FLAGS)
  if(STERNA_HAS_FIXED_SVE)
    list(APPEND STERNA_KERNEL_SETS sve256 sve512)
  endif()
endif()
if(STERNA_KERNELS STREQUAL "native" AND NOT STERNA_KERNEL_SETS STREQUAL "baseline")
  include(CheckCXXSourceRuns)
  # The same questions as in src/md/simd/instruction_set.cpp.
  set(widest baseline)
  if("neon" IN_LIST STERNA_KERNEL_SETS)
    set(widest neon)
    if("sve512" IN_LIST STERNA_KERNEL_SETS)
      foreach(bits 512 256)
        check_cxx_source_runs(
          "#include <sys/auxv.h>
           #include <sys/prctl.h>
           int main() {
             if ((getauxval(AT_HWCAP) & HWCAP_SVE) == 0) return 1;
             return (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) * 8 == ${bits} ? 0 : 1;
           }"
          STERNA_NATIVE_sve${bits})
        if(STERNA_NATIVE_sve${bits})
          set(widest sve${bits})
          break()
        endif()
      endforeach()
    endif()
  else()
    foreach(features "avx512;avx512f;avx512bw;avx512dq;avx512vl" "avx2;avx2;fma")
      list(POP_FRONT features instructions)
      list(TRANSFORM features REPLACE "(.+)" "__builtin_cpu_supports(\"\\1\")")
      list(JOIN features " && " supported)
      check_cxx_source_runs("int main() { return ${supported} ? 0 : 1; }" STERNA_NATIVE_${instructions})
      if(STERNA_NATIVE_${instructions})
        set(widest ${instructions})
        break()
      endif()
    endforeach()
  endif()
  set(STERNA_KERNEL_SETS ${widest})
elseif(NOT STERNA_KERNELS MATCHES "^(all|native)$")
  foreach(instructions IN LISTS STERNA_KERNELS)
    if(NOT instructions IN_LIST STERNA_KERNEL_SETS)
      list(JOIN STERNA_KERNEL_SETS ", " known)
      message(FATAL_ERROR "STERNA_KERNELS=${STERNA_KERNELS}: \"${instructions}\" is none of all, native "
                          "and, for this processor and compiler, ${known}")
    endif()
  endforeach()
  set(STERNA_KERNEL_SETS ${STERNA_KERNELS})
endif()

# The options of the files of kernels, by instruction set.
# GCC 12 warns of its own AVX-512 headers (GCC bug 105593).
set(STERNA_AVX512_OPTIONS)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(STERNA_AVX512_OPTIONS -Wno-maybe-uninitialized -Wno-uninitialized)
endif()
set(STERNA_KERNEL_OPTIONS_avx2 -march=x86-64-v3)
set(STERNA_KERNEL_OPTIONS_avx512 -march=x86-64-v4 ${STERNA_AVX512_OPTIONS})
set(STERNA_KERNEL_OPTIONS_neon)
foreach(bits 256 512)
  set(STERNA_KERNEL_OPTIONS_sve${bits} -march=armv8.2-a+sve -msve-vector-bits=${bits})
endforeach()
# Without wide registers a pack is an array in memory, and GCC spends two fifths of its time on
# finding out what may be an alias of what.
set(STERNA_KERNEL_OPTIONS_baseline)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(STERNA_KERNEL_OPTIONS_baseline --param=sccvn-max-alias-queries-per-access=50)
endif()

set(text "#pragma once\n\n")
foreach(instructions ${STERNA_ALL_KERNEL_SETS})
  string(TOUPPER ${instructions} name)
  if(instructions IN_LIST STERNA_KERNEL_SETS)
    string(APPEND text "#define STERNA_${name}_KERNELS(getter) getter\n")
  else()
    string(APPEND text "#define STERNA_${name}_KERNELS(getter) nullptr\n")
  endif()
endforeach()
set(STERNA_GENERATED_HEADERS ${PROJECT_BINARY_DIR}/generated)
file(CONFIGURE OUTPUT ${STERNA_GENERATED_HEADERS}/md/simd/kernel_sets.hpp CONTENT "${text}" @ONLY)

# sterna_choose_kernels(LIST FOLDER): removes from the list of sources the kernels below the folder
# src/md that are not of this build, and gives the others their options. They are optimized at
# STERNA_KERNEL_LEVEL.
set(STERNA_KERNEL_LEVEL -O3 CACHE STRING "Optimization of the kernels")
mark_as_advanced(STERNA_KERNEL_LEVEL)
function(sterna_choose_kernels list md)
  function(kernel_files folder)
    set(options ${STERNA_KERNEL_LEVEL} -fno-math-errno ${ARGN})
    if(STERNA_SANITIZE)
      # With all optimizations and debug information each file would take many times as long to
      # compile.
      list(TRANSFORM options REPLACE "^-O3$" "-O1")
      list(APPEND options -g0)
    endif()
    foreach(instructions ${STERNA_ALL_KERNEL_SETS})
      file(GLOB files CONFIGURE_DEPENDS ${md}/${folder}/kernels/*_${instructions}.cpp)
      if(instructions IN_LIST STERNA_KERNEL_SETS)
        set(its_options ${options} ${STERNA_KERNEL_OPTIONS_${instructions}})
        set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS "${its_options}")
      else()
        list(REMOVE_ITEM ${list} ${files})
      endif()
    endforeach()
    set(${list} ${${list}} PARENT_SCOPE)
  endfunction()
  # A force has the same bits whether or not the energy is asked for with it: no contraction.
  kernel_files(forces/pair -ffp-contract=off)
  kernel_files(forces/molecular -ffp-contract=off)
  kernel_files(forces/bonded -ffp-contract=off)
  kernel_files(forces/coulomb -ffp-contract=off)
  kernel_files(output -ffp-contract=off)
  kernel_files(integrate -ffp-contract=off)
  kernel_files(forces/manybody -ffp-contract=fast -fno-trapping-math)
  kernel_files(forces/coulomb/fmm -ffp-contract=fast -fno-trapping-math)
  if("avx512" IN_LIST STERNA_KERNEL_SETS)
    set_property(SOURCE ${md}/forces/manybody/kernels/tersoff_kernels_avx512.cpp APPEND PROPERTY
                 COMPILE_OPTIONS -mprefer-vector-width=512)
  endif()
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

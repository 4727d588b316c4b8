# sterna_spell_out_mpi(LANGUAGE): call before find_package(MPI). FindMPI takes what a compiler wrapper
# prints apart at blanks. If the path of the language's wrapper has some, this tells what FindMPI would
# find: MPI in the prefix of the wrapper.
macro(sterna_spell_out_mpi language)
  if(MPI_${language}_COMPILER MATCHES " ")
    cmake_path(GET MPI_${language}_COMPILER PARENT_PATH _sterna_mpi_prefix)
    cmake_path(GET _sterna_mpi_prefix PARENT_PATH _sterna_mpi_prefix)
    find_library(MPI_mpi_LIBRARY NAMES mpi HINTS ${_sterna_mpi_prefix} PATH_SUFFIXES lib NO_DEFAULT_PATH)
    set(MPI_${language}_LIB_NAMES mpi CACHE STRING "Libraries of MPI")
    set(MPI_${language}_COMPILER_INCLUDE_DIRS ${_sterna_mpi_prefix}/include CACHE STRING "Headers of MPI")
    set(MPI_${language}_COMPILE_OPTIONS -pthread CACHE STRING "Options for MPI")
    set(MPI_${language}_LINK_FLAGS -pthread CACHE STRING "Options for linking MPI")
  endif()
endmacro()

# sterna_name_other_wrappers(WRAPPER): the wrappers for C and Fortran that lie beside the one for C++,
# with the same ending: mpicxx.mpich has mpicc.mpich. What FindMPI finds by itself may be those of
# another MPI.
macro(sterna_name_other_wrappers wrapper)
  foreach(_sterna_pair "C;mpicc" "Fortran;mpifort")
    list(GET _sterna_pair 0 _sterna_language)
    list(GET _sterna_pair 1 _sterna_name)
    string(REGEX REPLACE "mpi(cxx|CC|c\\+\\+)([^/]*)$" "${_sterna_name}\\2" _sterna_other "${wrapper}")
    if(NOT MPI_${_sterna_language}_COMPILER AND NOT _sterna_other STREQUAL "${wrapper}" AND
       EXISTS "${_sterna_other}")
      set(MPI_${_sterna_language}_COMPILER "${_sterna_other}"
          CACHE FILEPATH "MPI compiler wrapper, that beside the one for C++")
    endif()
  endforeach()
endmacro()

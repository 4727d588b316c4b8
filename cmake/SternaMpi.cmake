# Include before find_package(MPI). FindMPI takes what a compiler wrapper prints apart at blanks. If
# the wrapper's path has some, this tells what FindMPI would find: MPI in the prefix of the wrapper.
if(MPI_CXX_COMPILER MATCHES " ")
  cmake_path(GET MPI_CXX_COMPILER PARENT_PATH _sterna_mpi_prefix)
  cmake_path(GET _sterna_mpi_prefix PARENT_PATH _sterna_mpi_prefix)
  find_library(MPI_mpi_LIBRARY NAMES mpi HINTS ${_sterna_mpi_prefix} PATH_SUFFIXES lib NO_DEFAULT_PATH)
  set(MPI_CXX_LIB_NAMES mpi CACHE STRING "Libraries of MPI")
  set(MPI_CXX_COMPILER_INCLUDE_DIRS ${_sterna_mpi_prefix}/include CACHE STRING "Headers of MPI")
  set(MPI_CXX_COMPILE_OPTIONS -pthread CACHE STRING "Options for MPI")
  set(MPI_CXX_LINK_FLAGS -pthread CACHE STRING "Options for linking MPI")
endif()

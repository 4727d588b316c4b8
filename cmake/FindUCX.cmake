# Finds UCX (ucp): UCX_FOUND and the target UCX::ucp. Looks into UCX_ROOT, the PyPI package
# libucx-cu12 of the Python environment that MPI comes from, and the system.
cmake_path(GET MPI_CXX_COMPILER PARENT_PATH _ucx_environment)
cmake_path(GET _ucx_environment PARENT_PATH _ucx_environment)
file(GLOB _ucx_wheels "${_ucx_environment}/lib/python3*/site-packages/libucx")
find_path(UCX_INCLUDE_DIR ucp/api/ucp.h HINTS ${UCX_ROOT} ${_ucx_wheels} PATH_SUFFIXES include)
find_library(UCX_ucp_LIBRARY NAMES ucp HINTS ${UCX_ROOT} ${_ucx_wheels} PATH_SUFFIXES lib)
foreach(library ucs uct ucm)
  find_library(UCX_${library}_LIBRARY NAMES ${library} HINTS ${UCX_ROOT} ${_ucx_wheels}
               PATH_SUFFIXES lib)
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(UCX REQUIRED_VARS UCX_ucp_LIBRARY UCX_ucs_LIBRARY
                                  UCX_uct_LIBRARY UCX_ucm_LIBRARY UCX_INCLUDE_DIR)
if(UCX_FOUND AND NOT TARGET UCX::ucp)
  add_library(UCX::ucp INTERFACE IMPORTED)
  target_include_directories(UCX::ucp SYSTEM INTERFACE ${UCX_INCLUDE_DIR})
  # All four are named although only two are called: an MPI library may bring another UCX, and the
  # loader would otherwise complete ours with parts of that one.
  target_link_libraries(UCX::ucp INTERFACE -Wl,--push-state,--no-as-needed ${UCX_ucp_LIBRARY}
                                           ${UCX_uct_LIBRARY} ${UCX_ucs_LIBRARY} ${UCX_ucm_LIBRARY}
                                           -Wl,--pop-state)
endif()

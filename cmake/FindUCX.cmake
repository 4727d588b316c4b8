# Finds UCX (ucp): UCX_FOUND and the target UCX::ucp. Looks into UCX_ROOT, the PyPI package
# libucx-cu12 of the active virtual environment, and the system.
file(GLOB _ucx_wheels "$ENV{VIRTUAL_ENV}/lib/python3*/site-packages/libucx"
     "${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/libucx")
find_path(UCX_INCLUDE_DIR ucp/api/ucp.h HINTS ${UCX_ROOT} ${_ucx_wheels} PATH_SUFFIXES include)
find_library(UCX_ucp_LIBRARY NAMES ucp HINTS ${UCX_ROOT} ${_ucx_wheels} PATH_SUFFIXES lib)
find_library(UCX_ucs_LIBRARY NAMES ucs HINTS ${UCX_ROOT} ${_ucx_wheels} PATH_SUFFIXES lib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(UCX REQUIRED_VARS UCX_ucp_LIBRARY UCX_ucs_LIBRARY UCX_INCLUDE_DIR)
if(UCX_FOUND AND NOT TARGET UCX::ucp)
  add_library(UCX::ucp INTERFACE IMPORTED)
  target_include_directories(UCX::ucp SYSTEM INTERFACE ${UCX_INCLUDE_DIR})
  target_link_libraries(UCX::ucp INTERFACE ${UCX_ucp_LIBRARY} ${UCX_ucs_LIBRARY})
endif()

# Finds libfabric: LIBFABRIC_FOUND, LIBFABRIC_INCLUDE_DIR and LIBFABRIC_LIBRARY, the library that
# programs load if the system's loader knows none. Looks into LIBFABRIC_ROOT and the system.
find_path(LIBFABRIC_INCLUDE_DIR rdma/fabric.h HINTS ${LIBFABRIC_ROOT} PATH_SUFFIXES include)
find_library(LIBFABRIC_LIBRARY NAMES fabric HINTS ${LIBFABRIC_ROOT} PATH_SUFFIXES lib lib64)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LIBFABRIC REQUIRED_VARS LIBFABRIC_LIBRARY LIBFABRIC_INCLUDE_DIR)

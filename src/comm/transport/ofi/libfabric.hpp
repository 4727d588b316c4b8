#pragma once

// To be included only in files that are compiled if libfabric's headers are found. Other files know
// its types by name only.

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <string_view>

namespace sterna::comm::ofi {

/// The functions that libfabric exports; all others are reached by the objects that these make. The
/// library is loaded when it is first needed, since its providers take long to load.
struct Library {
  /// Loads the library on first use. Throws Error if that fails.
  static const Library& instance();

  decltype(&fi_getinfo) getinfo = nullptr;
  decltype(&fi_dupinfo) dupinfo = nullptr;
  decltype(&fi_freeinfo) freeinfo = nullptr;
  decltype(&fi_fabric) fabric = nullptr;
  decltype(&fi_strerror) strerror = nullptr;
  decltype(&fi_version) version = nullptr;
};

/// Throws Error with libfabric's own text where `status` is an error, which is negative.
void check_libfabric(long status, std::string_view what);

}  // namespace sterna::comm::ofi

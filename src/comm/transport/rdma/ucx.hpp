#pragma once

// To be included only in files that are compiled if UCX is found. Other files know UCX's types by
// name only.

#include <ucp/api/ucp.h>

#include <string_view>

namespace sterna::comm::rdma {

/// Throws Error with UCX's own text where `status` is an error.
void check_ucx(ucs_status_t status, std::string_view what);

}  // namespace sterna::comm::rdma

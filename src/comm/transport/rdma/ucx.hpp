#pragma once

// Only for files that are compiled where UCX is found: the others see UCX's types as names.

#include <ucp/api/ucp.h>

#include <string_view>

namespace sterna::comm::rdma {

/// Throws Error with UCX's own text where `status` is an error.
void check_ucx(ucs_status_t status, std::string_view what);

}  // namespace sterna::comm::rdma

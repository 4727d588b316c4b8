#pragma once

#include <string>

namespace sterna::comm::rdma {

/// Returns why UCX does not work in this process; empty if it works.
std::string why_unavailable();

}  // namespace sterna::comm::rdma

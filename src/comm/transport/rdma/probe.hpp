#pragma once

#include <string>

namespace sterna::comm::rdma {

/// Why UCX does not work in this process; empty where it does.
std::string why_unavailable();

}  // namespace sterna::comm::rdma

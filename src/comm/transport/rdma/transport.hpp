#pragma once

#include "comm/transport/network_transport.hpp"
#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/remote_memory.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm::rdma {

/// The transport of puts by UCX.
using Transport = NetworkTransport<Memory, RemoteMemory, Worker>;

}  // namespace sterna::comm::rdma

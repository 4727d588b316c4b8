#pragma once

#include "comm/transport/network_transport.hpp"
#include "comm/transport/ofi/memory.hpp"
#include "comm/transport/ofi/remote_memory.hpp"
#include "comm/transport/ofi/worker.hpp"

namespace sterna::comm::ofi {

/// The transport of puts by libfabric.
using Transport = NetworkTransport<Memory, RemoteMemory, Worker>;

}  // namespace sterna::comm::ofi

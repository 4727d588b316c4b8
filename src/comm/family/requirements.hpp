#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// Returns why a transport does not work in this context; empty if it works. The first call for
/// "ofi" may start libfabric.
std::string why_no_transport(const Context& context, std::string_view name);

/// Functions for `MethodRow::why_unavailable`: why a method with these needs does not work.
std::string needs_messages(const Context& context, std::span<const int> peers);
std::string needs_rma(const Context& context, std::span<const int> peers);
std::string needs_rdma(const Context& context, std::span<const int> peers);
std::string needs_ofi(const Context& context, std::span<const int> peers);
std::string needs_shm(const Context& context, std::span<const int> peers);
/// This function requires shared memory and, if there are several nodes, UCX or libfabric.
std::string needs_shm_and_network(const Context& context, std::span<const int> peers);
/// This function also requires that all peers are on this node.
std::string needs_shm_with_all(const Context& context, std::span<const int> peers);

}  // namespace sterna::comm

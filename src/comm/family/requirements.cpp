#include "comm/family/requirements.hpp"

#include <fmt/format.h>

#include "comm/transport/ofi/probe.hpp"

namespace sterna::comm {

std::string why_no_transport(const Context& context, std::string_view name) {
  for (const Context::Transport& transport : context.transports()) {
    if (transport.name != name) continue;
    // A context does not start libfabric where UCX works, nor on one node.
    const std::string reason =
        transport.available && name == "ofi" ? ofi::why_unavailable() : transport.reason;
    if (!reason.empty()) return fmt::format("transport {}: {}", name, reason);
  }
  return {};
}

std::string needs_messages(const Context&, std::span<const int>) {
  return {};
}

std::string needs_rma(const Context& context, std::span<const int>) {
  return why_no_transport(context, "rma");
}

std::string needs_rdma(const Context& context, std::span<const int>) {
  return why_no_transport(context, "rdma");
}

std::string needs_ofi(const Context& context, std::span<const int>) {
  return why_no_transport(context, "ofi");
}

std::string needs_shm(const Context& context, std::span<const int>) {
  return why_no_transport(context, "shm");
}

std::string needs_shm_and_network(const Context& context, std::span<const int>) {
  if (std::string reason = why_no_transport(context, "shm"); !reason.empty()) return reason;
  if (context.node_count() == 1) return {};
  std::string reason = why_no_transport(context, "rdma");
  return reason.empty() ? reason : why_no_transport(context, "ofi");
}

std::string needs_shm_with_all(const Context& context, std::span<const int> peers) {
  for (const int peer : peers) {
    if (context.on_my_node(peer)) continue;
    return fmt::format("rank {} runs on another node than rank {}", peer, context.rank());
  }
  return why_no_transport(context, "shm");
}

}  // namespace sterna::comm

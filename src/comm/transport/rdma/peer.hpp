#pragma once

#ifdef STERNA_HAVE_UCX

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm::rdma {

/// The memory of another process, anywhere on the network. Where UCX has it mapped into this
/// process, as it has memory of its own in the same node, puts are plain stores.
class Peer {
 public:
  /// `worker_address`: of the process that made `handle`. Throws Error where it is out of reach.
  Peer(const std::string& worker_address, const std::string& handle);
  ~Peer();
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;

  /// Begins to write `bytes` from `source` at `offset` of the peer's memory; faster where the
  /// source lies in `registered` memory. It must stay as it is until `sent()`. Where the peer is
  /// `mapped`, the bytes have arrived on return, and an aligned word is seen behind all puts
  /// before.
  void put(std::size_t offset, const std::byte* source, std::size_t bytes,
           const Memory* registered = nullptr);
  /// Begins to read `bytes` at `offset` of the peer's memory; `target` is filled after `sent()`.
  void get(std::size_t offset, std::byte* target, std::size_t bytes);
  /// Begins to add `value` to the word at `offset`, at once for all who do it by UCX; `before` is
  /// what it was, after `sent()`, and both must stay until then.
  void fetch_add(std::size_t offset, const std::uint64_t& value, std::uint64_t& before);
  /// True once the sources of all puts may be changed, and the results of gets and adds are there.
  bool sent();
  /// Begins to ask whether all puts have arrived; `arrived` tells.
  void flush();
  bool arrived() { return sent(); }
  /// Whether puts are stores: nothing is under way then, and no fence is needed.
  bool mapped() const { return mapped_ != nullptr; }

 private:
  void keep(ucs_status_ptr_t request, const char* what);
  ucp_ep_h endpoint_ = nullptr;
  ucp_rkey_h key_ = nullptr;
  std::uint64_t base_ = 0;
  std::byte* mapped_ = nullptr;
  std::vector<void*> requests_;
};

}  // namespace sterna::comm::rdma

#endif

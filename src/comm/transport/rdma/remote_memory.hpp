#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/transport/rdma/memory.hpp"

// Of UCX.
struct ucp_ep;
struct ucp_rkey;

namespace sterna::comm::rdma {

/// The memory of another process, anywhere on the network. Where UCX has it mapped into this
/// process, as it has memory of its own in the same node, puts are plain stores.
class RemoteMemory {
 public:
  /// `handle`: of the other process's memory. Throws Error where it cannot be accessed.
  explicit RemoteMemory(const std::string& handle);
  ~RemoteMemory();
  RemoteMemory(RemoteMemory&& other) noexcept;
  RemoteMemory& operator=(RemoteMemory&&) = delete;

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
  /// Begins to raise the notice at `offset` to `value`, which must stay until `sent()`. Where the
  /// peer is not `mapped`, a fence of the worker before it makes it come behind all puts.
  void notify(std::size_t offset, const std::uint64_t& value) {
    put(offset, reinterpret_cast<const std::byte*>(&value), sizeof value);
  }
  /// True once the sources of all puts may be changed, and the results of gets and adds are there.
  bool sent();
  /// Begins to ask whether all puts have arrived; `arrived` tells.
  void flush();
  bool arrived() { return sent(); }
  /// The memory where puts are stores, so that nothing is ever under way and no fence is needed;
  /// null elsewhere.
  std::byte* mapped() const { return mapped_; }

 private:
  void keep(void* request, const char* what);
  ucp_ep* endpoint_ = nullptr;
  ucp_rkey* key_ = nullptr;
  std::uint64_t base_ = 0;
  std::byte* mapped_ = nullptr;
  std::vector<void*> requests_;
};

}  // namespace sterna::comm::rdma

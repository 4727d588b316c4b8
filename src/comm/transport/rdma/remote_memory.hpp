#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/transport/rdma/memory.hpp"

// A type of UCX.
struct ucp_ep;
struct ucp_rkey;

namespace sterna::comm::rdma {

/// The memory of another process, anywhere on the network. If UCX has mapped it into this process,
/// as it does with its own memory on the same node, puts are plain stores.
class RemoteMemory {
 public:
  /// `handle` is that of the other process's memory. Throws Error if it cannot be accessed.
  explicit RemoteMemory(const std::string& handle);
  ~RemoteMemory();
  RemoteMemory(RemoteMemory&& other) noexcept;
  RemoteMemory& operator=(RemoteMemory&&) = delete;

  /// Begins to write `bytes` from `source` at `offset` of the peer's memory; this is faster if the
  /// source is in `registered` memory. The source must stay unchanged until `sent()`. If the peer
  /// is `mapped`, the bytes have arrived on return, and an aligned word becomes visible after all
  /// earlier puts.
  void put(std::size_t offset, const std::byte* source, std::size_t bytes,
           const Memory* registered = nullptr);
  /// Begins to read `bytes` at `offset` of the peer's memory; `target` is filled after `sent()`.
  void get(std::size_t offset, std::byte* target, std::size_t bytes);
  /// Begins to add `value` to the word at `offset`, atomically for all ranks that use UCX.
  /// `before`, its previous value, is valid after `sent()`; both must exist until then.
  void fetch_add(std::size_t offset, const std::uint64_t& value, std::uint64_t& before);
  /// Begins to raise the notice at `offset` to `value`, which must stay unchanged until `sent()`.
  /// If the peer is not `mapped`, a fence of the worker is needed before it, so that it arrives
  /// after all puts.
  void notify(std::size_t offset, const std::uint64_t& value) {
    put(offset, reinterpret_cast<const std::byte*>(&value), sizeof value);
  }
  /// True once the sources of all puts may be changed, and the results of gets and adds are valid.
  bool sent();
  /// Begins to ask whether all puts have arrived; then `sent` returns true once they have.
  void flush();
  bool arrived() { return sent(); }
  /// The peer's memory if puts are stores, so that no transfer is ever under way and no fence is
  /// needed; otherwise null.
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

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "comm/transport/ofi/memory.hpp"

namespace sterna::comm::ofi {

struct Peer;
struct UnderWay;

/// The memory of another process, anywhere on the network.
class RemoteMemory {
 public:
  /// `handle` is that of the other process's memory. Throws Error if it cannot be accessed.
  explicit RemoteMemory(const std::string& handle);

  /// Begins to write `bytes` from `source` at `offset` of the peer's memory; this is faster if the
  /// source is in `registered` memory. The source must stay unchanged until `sent()`. An aligned
  /// word is stored as one.
  void put(std::size_t offset, const std::byte* source, std::size_t bytes,
           const Memory* registered = nullptr);
  /// Begins to read `bytes` at `offset` of the peer's memory; `target` is filled after `sent()`.
  void get(std::size_t offset, std::byte* target, std::size_t bytes);
  /// Begins to add `value` to the word at `offset`, atomically for all ranks that use libfabric.
  /// `before`, its previous value, is valid after `sent()` and must exist until then.
  void fetch_add(std::size_t offset, const std::uint64_t& value, std::uint64_t& before);
  /// Begins to raise the notice at `offset` to `value`. A fence of the worker is needed before it,
  /// so that it arrives after all puts.
  void notify(std::size_t offset, const std::uint64_t& value) {
    put(offset, reinterpret_cast<const std::byte*>(&value), sizeof value);
  }
  /// True once all puts have arrived, and the results of gets and adds are valid.
  bool sent();
  /// Puts are complete when they have arrived, so there is nothing to ask.
  void flush() {}
  bool arrived() { return sent(); }
  /// Puts are never stores of this process.
  std::byte* mapped() const { return nullptr; }

 private:
  // A build without libfabric does not use these.
  [[maybe_unused]] Peer* peer_ = nullptr;
  [[maybe_unused]] std::uint64_t base_ = 0;
  [[maybe_unused]] std::uint64_t key_ = 0;
  std::shared_ptr<UnderWay> under_way_;
};

}  // namespace sterna::comm::ofi

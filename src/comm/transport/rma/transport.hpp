#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"
#include "comm/context/memory_need.hpp"
#include "comm/transport/rma/memory.hpp"
#include "comm/transport/rma/remote_memory.hpp"
#include "comm/transport/two_sided/memory.hpp"

namespace sterna::comm::rma {

/// The transport of puts into MPI windows, with the members that onesided/window.hpp needs.
struct Transport {
  using Memory = rma::Memory;
  using RemoteMemory = rma::RemoteMemory;
  using Source = two_sided::Memory;

  Epoch epoch = Epoch::passive;

  static MemoryNeed need(std::size_t bytes) { return {.window = bytes}; }
  /// Makes a memory. Collective.
  std::unique_ptr<Memory> make(Context::Implementation& context, std::string_view exchange_name,
                               std::size_t bytes) const {
    return std::make_unique<Memory>(context, bytes, epoch, exchange_name, Begin::aligned);
  }
  static std::string handle(const Memory& memory) { return memory.handle(); }
  RemoteMemory connect(const Memory* memory, int rank, const std::string& handle) const {
    return {*memory, rank, handle};
  }
  static void put(RemoteMemory& peer, std::size_t offset, const std::byte* source,
                  std::size_t bytes, const Source&) {
    peer.put(offset, source, bytes);
  }
  static void synchronize(const Memory& memory) { memory.synchronize(); }
};

}  // namespace sterna::comm::rma

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"
#include "comm/context/memory_need.hpp"
#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/remote_memory.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm::rdma {

/// The transport of puts by UCX, with the members that onesided/window.hpp needs.
struct Transport {
  using Memory = rdma::Memory;
  using RemoteMemory = rdma::RemoteMemory;
  /// The memory from which puts are fastest.
  using Source = rdma::Memory;

  static MemoryNeed need(std::size_t bytes) { return {.plain = bytes}; }
  std::unique_ptr<Memory> make(Context::Implementation& context, std::string_view,
                               std::size_t bytes) const {
    context.rdma_in_use = true;
    return bytes > 0 ? std::make_unique<Memory>(bytes) : nullptr;
  }
  static std::string handle(const Memory& memory) { return memory.handle(); }
  RemoteMemory connect(const Memory*, int, const std::string& handle) const {
    return RemoteMemory(handle);
  }
  static void put(RemoteMemory& peer, std::size_t offset, const std::byte* source,
                  std::size_t bytes, const Source& memory) {
    peer.put(offset, source, bytes, &memory);
  }
  static void synchronize(const Memory&) {}
  static void fence() { Worker::instance().fence(); }
  static void progress() { Worker::instance().progress(); }
};

}  // namespace sterna::comm::rdma

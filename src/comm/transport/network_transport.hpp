#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"
#include "comm/context/memory_need.hpp"

namespace sterna::comm {

/// A transport whose puts a worker of a network library makes, with the members that
/// onesided/window.hpp needs. `OwnMemory`, `PeerMemory` and `Worker` are the library's.
template <class OwnMemory, class PeerMemory, class Worker>
struct NetworkTransport {
  using Memory = OwnMemory;
  using RemoteMemory = PeerMemory;
  /// The memory from which puts are fastest.
  using Source = OwnMemory;

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

}  // namespace sterna::comm

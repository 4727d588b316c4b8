#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"
#include "comm/context/memory_need.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/peer.hpp"

namespace sterna::comm::shm {

/// Loads and stores inside a node, as onesided/window.hpp wants a transport.
struct Transport {
  using Memory = shm::Memory;
  using Peer = shm::Peer;

  static MemoryNeed need(std::size_t bytes) { return {.shared = bytes}; }
  std::unique_ptr<Memory> make(Context::Implementation&, std::string_view,
                               std::size_t bytes) const {
    return bytes > 0 ? std::make_unique<Memory>(bytes) : nullptr;
  }
  static std::string handle(const Memory& memory) {
    return {reinterpret_cast<const char*>(&memory.handle()), sizeof(Handle)};
  }
  Peer connect(const Memory*, int, const std::string& handle) const {
    Handle place;
    std::memcpy(&place, handle.data(), sizeof place);
    return Peer(place);
  }
  static void synchronize(const Memory&) {}
  static void fence() {}
  static void progress() {}
};

}  // namespace sterna::comm::shm

#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"
#include "comm/context/memory_need.hpp"
#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/remote_memory.hpp"

namespace sterna::comm::shm {

/// The transport by loads and stores within a node, with the members that onesided/window.hpp
/// needs.
struct Transport {
  using Memory = shm::Memory;
  using RemoteMemory = shm::RemoteMemory;

  static MemoryNeed need(std::size_t bytes) { return {.shared = bytes}; }
  std::unique_ptr<Memory> make(Context::Implementation&, std::string_view,
                               std::size_t bytes) const {
    return bytes > 0 ? std::make_unique<Memory>(bytes) : nullptr;
  }
  static std::string handle(const Memory& memory) {
    return {reinterpret_cast<const char*>(&memory.handle()), sizeof(Handle)};
  }
  RemoteMemory connect(const Memory*, int, const std::string& handle) const {
    Handle sent;
    std::memcpy(&sent, handle.data(), sizeof sent);
    return RemoteMemory(sent);
  }
  static void synchronize(const Memory&) {}
  static void fence() {}
  static void progress() {}
};

}  // namespace sterna::comm::shm

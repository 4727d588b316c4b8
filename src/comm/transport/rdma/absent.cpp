// Compiled in place of the rest of this folder where UCX is not found: nothing can be made.

#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/remote_memory.hpp"
#include "comm/transport/rdma/worker.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::rdma {
namespace {

[[noreturn]] void fail() {
  throw Error("built without UCX");
}

}  // namespace

Worker& Worker::instance() {
  fail();
}
ucp_ep* Worker::endpoint(const std::string&) {
  fail();
}
void Worker::progress() {
  fail();
}
void Worker::fence() {
  fail();
}

Memory::Memory(std::size_t bytes) : bytes_(bytes) {
  fail();
}
Memory::Memory(std::byte* memory, std::size_t bytes) : data_(memory), bytes_(bytes) {
  fail();
}
Memory::~Memory() = default;
std::string Memory::handle() const {
  fail();
}

RemoteMemory::RemoteMemory(const std::string&) {
  fail();
}
RemoteMemory::~RemoteMemory() = default;
RemoteMemory::RemoteMemory(RemoteMemory&&) noexcept = default;
void RemoteMemory::put(std::size_t, const std::byte*, std::size_t, const Memory*) {
  fail();
}
void RemoteMemory::get(std::size_t, std::byte*, std::size_t) {
  fail();
}
void RemoteMemory::fetch_add(std::size_t, const std::uint64_t&, std::uint64_t&) {
  fail();
}
bool RemoteMemory::sent() {
  fail();
}
void RemoteMemory::flush() {
  fail();
}

}  // namespace sterna::comm::rdma

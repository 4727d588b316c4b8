// This file is compiled in place of the others in this folder if UCX is not found. Its functions
// throw.

#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/remote_memory.hpp"
#include "comm/transport/rdma/worker.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::rdma {
namespace {

[[noreturn]] void fail_without_ucx() {
  throw Error("built without UCX");
}

}  // namespace

Worker& Worker::instance() {
  fail_without_ucx();
}
ucp_ep* Worker::endpoint(const std::string&) {
  fail_without_ucx();
}
void Worker::progress() {
  fail_without_ucx();
}
void Worker::fence() {
  fail_without_ucx();
}

Memory::Memory(std::size_t bytes) : bytes_(bytes) {
  fail_without_ucx();
}
Memory::Memory(std::byte* memory, std::size_t bytes) : data_(memory), bytes_(bytes) {
  fail_without_ucx();
}
Memory::~Memory() = default;
std::string Memory::handle() const {
  fail_without_ucx();
}

RemoteMemory::RemoteMemory(const std::string&) {
  fail_without_ucx();
}
RemoteMemory::~RemoteMemory() = default;
RemoteMemory::RemoteMemory(RemoteMemory&&) noexcept = default;
void RemoteMemory::put(std::size_t, const std::byte*, std::size_t, const Memory*) {
  fail_without_ucx();
}
void RemoteMemory::get(std::size_t, std::byte*, std::size_t) {
  fail_without_ucx();
}
void RemoteMemory::fetch_add(std::size_t, const std::uint64_t&, std::uint64_t&) {
  fail_without_ucx();
}
bool RemoteMemory::sent() {
  fail_without_ucx();
}
void RemoteMemory::flush() {
  fail_without_ucx();
}

}  // namespace sterna::comm::rdma

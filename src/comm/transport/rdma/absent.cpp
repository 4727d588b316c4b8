// Compiled in place of the rest of this folder where UCX is not found: nothing can be made.

#include "comm/transport/rdma/memory.hpp"
#include "comm/transport/rdma/peer.hpp"
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

Peer::Peer(const std::string&) {
  fail();
}
Peer::~Peer() = default;
Peer::Peer(Peer&&) noexcept = default;
void Peer::put(std::size_t, const std::byte*, std::size_t, const Memory*) {
  fail();
}
void Peer::get(std::size_t, std::byte*, std::size_t) {
  fail();
}
void Peer::fetch_add(std::size_t, const std::uint64_t&, std::uint64_t&) {
  fail();
}
bool Peer::sent() {
  fail();
}
void Peer::flush() {
  fail();
}

}  // namespace sterna::comm::rdma

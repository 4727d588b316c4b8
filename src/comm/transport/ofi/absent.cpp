// This file is compiled in place of the others in this folder if libfabric's headers are not found.
// Its functions throw.

#include "comm/transport/ofi/memory.hpp"
#include "comm/transport/ofi/remote_memory.hpp"
#include "comm/transport/ofi/worker.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::ofi {
namespace {

[[noreturn]] void fail_without_libfabric() {
  throw Error("built without libfabric");
}

}  // namespace

struct Copy {};
struct Peer {};

Worker& Worker::instance() {
  fail_without_libfabric();
}
Peer& Worker::peer(const std::string&) {
  fail_without_libfabric();
}
void Worker::progress() {
  fail_without_libfabric();
}

Memory::Memory(std::size_t bytes) : bytes_(bytes) {
  fail_without_libfabric();
}
Memory::Memory(std::byte* memory, std::size_t bytes) : data_(memory), bytes_(bytes) {
  fail_without_libfabric();
}
Memory::~Memory() = default;
std::string Memory::handle() const {
  fail_without_libfabric();
}

RemoteMemory::RemoteMemory(const std::string&) {
  fail_without_libfabric();
}
void RemoteMemory::put(std::size_t, const std::byte*, std::size_t, const Memory*) {
  fail_without_libfabric();
}
void RemoteMemory::get(std::size_t, std::byte*, std::size_t) {
  fail_without_libfabric();
}
void RemoteMemory::fetch_add(std::size_t, const std::uint64_t&, std::uint64_t&) {
  fail_without_libfabric();
}
bool RemoteMemory::sent() {
  fail_without_libfabric();
}

}  // namespace sterna::comm::ofi

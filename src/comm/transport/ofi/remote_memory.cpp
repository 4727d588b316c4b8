#include "comm/transport/ofi/remote_memory.hpp"

#include <cstring>
#include <utility>

#include "comm/transport/ofi/transfer.hpp"
#include "comm/transport/ofi/worker.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::ofi {

RemoteMemory::RemoteMemory(const std::string& handle) : under_way_(std::make_shared<UnderWay>()) {
  std::uint64_t worker_bytes = 0;
  std::memcpy(&worker_bytes, handle.data(), sizeof worker_bytes);
  peer_ = &Worker::instance().peer(handle.substr(sizeof worker_bytes, worker_bytes));
  const char* const address = handle.data() + sizeof worker_bytes + worker_bytes;
  std::memcpy(&base_, address, sizeof base_);
  std::memcpy(&key_, address + sizeof base_, sizeof key_);
}

void RemoteMemory::put(std::size_t offset, const std::byte* source, std::size_t bytes,
                       const Memory* registered) {
  Worker::instance().put(*peer_, under_way_, base_ + offset, key_, source, bytes, registered);
}

void RemoteMemory::get(std::size_t offset, std::byte* target, std::size_t bytes) {
  Worker::instance().get(*peer_, under_way_, base_ + offset, key_, target, bytes);
}

void RemoteMemory::fetch_add(std::size_t offset, const std::uint64_t& value,
                             std::uint64_t& before) {
  Worker::instance().fetch_add(*peer_, under_way_, base_ + offset, key_, value, before);
}

bool RemoteMemory::sent() {
  if (!under_way_->error.empty()) throw Error(std::exchange(under_way_->error, {}));
  return under_way_->count == 0;
}

}  // namespace sterna::comm::ofi

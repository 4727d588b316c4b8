#include "comm/transport/ofi/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "comm/transport/ofi/libfabric.hpp"
#include "comm/transport/ofi/worker.hpp"

namespace sterna::comm::ofi {

Memory::Memory(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
  own_.emplace(bytes_);
  data_ = own_->data();
  std::memset(data_, 0, bytes_);
  region_ = Worker::instance().register_memory(data_, bytes_);
}

Memory::Memory(std::byte* memory, std::size_t bytes) : data_(memory), bytes_(bytes) {
  region_ = Worker::instance().register_memory(data_, bytes_);
}

Memory::~Memory() {
  fi_close(&region_->fid);
}

std::string Memory::handle() const {
  const Worker& worker = Worker::instance();
  const std::uint64_t worker_bytes = worker.address().size();
  const std::uint64_t address = worker.remote_address(data_);
  const std::uint64_t key = fi_mr_key(region_);
  std::string handle(reinterpret_cast<const char*>(&worker_bytes), sizeof worker_bytes);
  handle += worker.address();
  handle.append(reinterpret_cast<const char*>(&address), sizeof address);
  handle.append(reinterpret_cast<const char*>(&key), sizeof key);
  return handle;
}

}  // namespace sterna::comm::ofi

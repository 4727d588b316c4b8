#include "comm/transport/rdma/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "comm/context/memory_need.hpp"
#include "comm/transport/rdma/ucx.hpp"
#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm::rdma {

Memory::Memory(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
  require_memory({.plain = bytes_});
  map(UCP_MEM_MAP_ALLOCATE);
  ucp_mem_attr_t attributes{};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  check_ucx(ucp_mem_query(memory_, &attributes), "asking for the address of registered memory");
  data_ = static_cast<std::byte*>(attributes.address);
  std::memset(data_, 0, bytes_);
}

Memory::Memory(std::byte* memory, std::size_t bytes) : data_(memory), bytes_(bytes) {
  map(0);
}

void Memory::map(unsigned flags) {
  ucp_mem_map_params_t parameters{};
  parameters.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                          UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  parameters.flags = flags;
  parameters.address = data_;
  parameters.length = bytes_;
  check_ucx(ucp_mem_map(Worker::instance().context(), &parameters, &memory_), "registering memory");
}

Memory::~Memory() {
  ucp_mem_unmap(Worker::instance().context(), memory_);
}

std::string Memory::handle() const {
  void* packed = nullptr;
  std::size_t bytes = 0;
  check_ucx(ucp_rkey_pack(Worker::instance().context(), memory_, &packed, &bytes),
            "packing a memory key");
  const std::string& worker = Worker::instance().address();
  const std::uint64_t worker_bytes = worker.size();
  const auto address = reinterpret_cast<std::uint64_t>(data_);
  std::string handle(reinterpret_cast<const char*>(&worker_bytes), sizeof worker_bytes);
  handle += worker;
  handle.append(reinterpret_cast<const char*>(&address), sizeof address);
  handle.append(static_cast<const char*>(packed), bytes);
  ucp_rkey_buffer_release(packed);
  return handle;
}

}  // namespace sterna::comm::rdma

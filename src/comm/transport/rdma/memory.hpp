#pragma once

#ifdef STERNA_HAVE_UCX

#include <ucp/api/ucp.h>

#include <cstddef>
#include <string>

#include "comm/transport/rdma/worker.hpp"

namespace sterna::comm::rdma {

/// Registered memory.
class Memory {
 public:
  /// That UCX allocates (only then are puts in a node stores, without help of the target), filled
  /// with zeros. Throws MemoryError, before anything is taken, where there is no such room.
  explicit Memory(std::size_t bytes);
  /// That exists already and stays as it is.
  Memory(std::byte* memory, std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  ucp_mem_h get() const { return memory_; }
  /// What others need to write here; to be sent as bytes.
  std::string handle() const;

 private:
  void map(ucp_mem_map_params_t parameters);
  ucp_mem_h memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace sterna::comm::rdma

#endif

#pragma once

#include <cstddef>
#include <string>

struct ucp_mem;  // of UCX

namespace sterna::comm::rdma {

/// Registered memory.
class Memory {
 public:
  /// That UCX allocates (only then are puts in a node stores, without help of the target), filled
  /// with zeros. Throws MemoryError, before anything is allocated, where memory does not
  /// suffice.
  explicit Memory(std::size_t bytes);
  /// That exists already and stays as it is.
  Memory(std::byte* memory, std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  ucp_mem* get() const { return memory_; }
  /// What others need to write here, the address of this process included; to be sent as bytes.
  std::string handle() const;

 private:
  /// `flags`: how UCX is to map it.
  void map(unsigned flags);
  ucp_mem* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace sterna::comm::rdma

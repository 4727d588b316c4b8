#pragma once

#include <cstddef>
#include <string>

struct ucp_mem;  // a type of UCX

namespace sterna::comm::rdma {

/// Memory that is registered with UCX.
class Memory {
 public:
  /// Memory that UCX allocates, filled with zeros. Only for such memory are puts within a node
  /// stores, without help of the target. Throws MemoryError, before anything is allocated, if
  /// memory does not suffice.
  explicit Memory(std::size_t bytes);
  /// Memory that exists already; its contents are kept.
  Memory(std::byte* memory, std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  ucp_mem* get() const { return memory_; }
  /// The data that other ranks need to write here, with the address of this process; to be sent as
  /// bytes.
  std::string handle() const;

 private:
  /// `flags` say how UCX is to map the memory.
  void map(unsigned flags);
  ucp_mem* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace sterna::comm::rdma

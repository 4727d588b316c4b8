#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "comm/transport/two_sided/memory.hpp"

struct fid_mr;  // a type of libfabric

namespace sterna::comm::ofi {

/// Memory that is registered with libfabric.
class Memory {
 public:
  /// Memory of its own, filled with zeros. Throws MemoryError, before anything is allocated, if
  /// memory does not suffice.
  explicit Memory(std::size_t bytes);
  /// Memory that exists already; its contents are kept.
  Memory(std::byte* memory, std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  fid_mr* get() const { return region_; }
  /// The data that other ranks need to write here, with the address of this process; to be sent as
  /// bytes.
  std::string handle() const;

 private:
  std::optional<two_sided::Memory> own_;
  fid_mr* region_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace sterna::comm::ofi

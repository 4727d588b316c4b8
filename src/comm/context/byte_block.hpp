#pragma once

#include <mpi.h>

#include <cstddef>

#include "comm/context/largest_count.hpp"

namespace sterna::comm {

/// The count and datatype that describe any number of bytes to one MPI call, whose counts are
/// `int`: plain bytes if they fit, otherwise a derived type of large blocks and a remainder. The
/// object may be destroyed as soon as the call that uses it has returned.
class ByteBlock {
 public:
  explicit ByteBlock(std::size_t bytes) : count_(static_cast<int>(bytes)) {
    if (bytes > largest_count()) [[unlikely]]
      make_type(bytes);
  }
  ~ByteBlock() {
    if (type_ != MPI_BYTE) [[unlikely]]
      free_type();
  }
  ByteBlock(const ByteBlock&) = delete;
  ByteBlock& operator=(const ByteBlock&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  void make_type(std::size_t bytes);
  void free_type();

  int count_;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace sterna::comm

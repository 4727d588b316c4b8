#pragma once

#include <mpi.h>

#include <cstddef>

namespace sterna::comm {

/// Any number of bytes as the count and datatype of one MPI call, whose counts are `int`: plain
/// bytes where they fit, otherwise a derived type of large blocks and a rest. May be destroyed as
/// soon as the call that uses it returned.
class ByteBlock {
 public:
  explicit ByteBlock(std::size_t bytes);
  ~ByteBlock();
  ByteBlock(const ByteBlock&) = delete;
  ByteBlock& operator=(const ByteBlock&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace sterna::comm

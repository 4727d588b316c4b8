#pragma once

#include <cstddef>
#include <vector>

#include "comm/sparse/byte_buffer.hpp"

namespace sterna::comm {

/// Memory for messages whose number and sizes are not known beforehand. Pieces never move until
/// `clear`; after it, one block is as large as all pieces of the previous round.
class Arena {
 public:
  std::byte* take(std::size_t bytes);
  void clear();

 private:
  std::vector<ByteBuffer> blocks_;
  std::size_t used_ = 0;   ///< bytes used in the last block
  std::size_t total_ = 0;  ///< bytes taken since `clear`
};

}  // namespace sterna::comm

#pragma once

#include <cstddef>
#include <vector>

#include "comm/sparse/byte_buffer.hpp"

namespace sterna::comm {

/// Memory for messages whose number and sizes are not known before: pieces never move until
/// `clear`, after which one block holds as much as the round before needed.
class Arena {
 public:
  std::byte* take(std::size_t bytes);
  void clear();

 private:
  std::vector<ByteBuffer> blocks_;
  std::size_t used_ = 0;   ///< of the last block
  std::size_t total_ = 0;  ///< taken since `clear`
};

}  // namespace sterna::comm

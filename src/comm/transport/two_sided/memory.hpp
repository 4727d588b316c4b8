#pragma once

#include <cstddef>
#include <memory>

namespace sterna::comm::two_sided {

/// Plain memory of this process, aligned for vector instructions. Messages need no more.
class Memory {
 public:
  /// Throws MemoryError if the memory of this process or of the node does not suffice.
  explicit Memory(std::size_t bytes);
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace sterna::comm::two_sided

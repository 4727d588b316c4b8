#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"

namespace sterna::comm::rma {

/// How a window is used during its life.
enum class Epoch {
  passive,  ///< locked for all ranks as long as it lives: put, get, fetch_add, flush at any time
  active,   ///< by fences, or by post and start; the owner opens and closes the epochs
};

/// Where the memory begins: not every MPI aligns windows as it is asked to.
enum class Begin {
  of_window,  ///< at offset 0 on every rank
  aligned,    ///< at a multiple of 128 bytes, which each rank tells by its handle
};

/// Memory in an MPI window, filled with zeros. It is allocated by MPI: only then are puts in a node
/// stores, without help of the target. Sizes may differ between ranks.
class Memory {
 public:
  /// Collective over the context, as is the end. Waits until all ranks are here, so that the
  /// calls of MPI, which know no deadline, find nobody missing. After a failure the owner must not
  /// end it but `keep_until_exit`. Throws MemoryError on all ranks, before anything is
  /// allocated, where the memory of a node does not suffice.
  Memory(Context::Implementation& context, std::size_t bytes, Epoch epoch = Epoch::passive,
         std::string_view exchange_name = "window", Begin begin = Begin::of_window);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  MPI_Win window() const { return window_; }
  /// What others need beside the window to write here: where in it the memory begins.
  std::string handle() const { return {reinterpret_cast<const char*>(&begin_), sizeof begin_}; }
  /// Makes what others wrote visible to loads, where MPI does not do so by itself.
  void synchronize() const {
    if (!unified_) MPI_Win_sync(window_);
  }

 private:
  std::size_t bytes_;
  Epoch epoch_;
  std::byte* data_ = nullptr;
  std::size_t begin_ = 0;  ///< of the memory, in the window
  MPI_Win window_ = MPI_WIN_NULL;
  bool unified_ = true;
};

}  // namespace sterna::comm::rma

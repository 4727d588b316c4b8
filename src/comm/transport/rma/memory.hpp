#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "comm/context/context_implementation.hpp"

namespace sterna::comm::rma {

/// The synchronization of a window during its life.
enum class Epoch {
  /// passive: locked for all ranks as long as it lives; put, get, fetch_add, flush at any time
  passive,
  active,  ///< fences, or post and start; the owner opens and closes the epochs
};

/// The place at which the memory begins in the window, because not every MPI aligns windows as
/// requested.
enum class Begin {
  of_window,  ///< at offset 0 on every rank
  aligned,    ///< at a multiple of 128 bytes, which each rank tells by its handle
};

/// Memory in an MPI window, filled with zeros. MPI allocates it, because only then are puts within
/// a node stores, without help of the target. Sizes may differ between ranks.
class Memory {
 public:
  /// Collective over the context, as is the destructor. Waits until all ranks have arrived, because
  /// the calls of MPI have no deadline. After a failure the owner must not destroy it but call
  /// `keep_until_exit`. Throws MemoryError on all ranks, before anything is allocated, if the
  /// memory of a node does not suffice.
  Memory(Context::Implementation& context, std::size_t bytes, Epoch epoch = Epoch::passive,
         std::string_view exchange_name = "window", Begin begin = Begin::of_window);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  MPI_Win window() const { return window_; }
  /// The data that other ranks need besides the window: where the memory begins in it.
  std::string handle() const { return {reinterpret_cast<const char*>(&begin_), sizeof begin_}; }
  /// Makes the writes of others visible to loads, if MPI does not do so by itself.
  void synchronize() const {
    if (!unified_) MPI_Win_sync(window_);
  }

 private:
  std::size_t bytes_;
  Epoch epoch_;
  std::byte* data_ = nullptr;
  std::size_t begin_ = 0;  ///< offset of the memory in the window
  MPI_Win window_ = MPI_WIN_NULL;
  bool unified_ = true;
};

}  // namespace sterna::comm::rma

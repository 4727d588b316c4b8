#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "comm/context/mpi_error.hpp"
#include "comm/transport/rma/memory.hpp"

namespace sterna::comm::rma {

/// The part of a window that another rank (or this one) owns. Unlike other transports MPI leaves
/// three things open:
/// - Nothing needs to leave before `flush`, and two operations are in no order without it: data
///   and then their notice are put, flush, notify, flush.
/// - Some MPIs move puts only while their target calls MPI: whoever waits must call MPI
///   (`make_progress` in context/waiter.hpp does).
/// - `flush` blocks in MPI, without a deadline of ours: guard it by BlockingCall.
class RemoteMemory {
 public:
  /// For memory that begins with the window.
  RemoteMemory(const Memory& memory, int rank) : window_(memory.window()), rank_(rank) {}
  /// `handle` is that of the memory of `rank` in the window.
  RemoteMemory(const Memory& memory, int rank, const std::string& handle)
      : window_(memory.window()), rank_(rank) {
    std::memcpy(&begin_, handle.data(), sizeof begin_);
  }

  /// Begins to write `bytes` from `source` at `offset`. The source must stay as it is until
  /// `flush`.
  void put(std::size_t offset, const std::byte* source, std::size_t bytes) {
    if (bytes <= piece) {
      put_piece(offset, source, bytes);
    } else {
      put_pieces(offset, source, bytes);
    }
  }
  /// Begins to read; `target` is filled after `flush`.
  void get(std::size_t offset, std::byte* target, std::size_t bytes);
  /// Begins to add `value` to the word at `offset`, atomically; `before`, its previous value, is
  /// valid after `flush`. Only in passive epochs.
  void fetch_add(std::size_t offset, const std::uint64_t& value, std::uint64_t& before);
  /// Begins to replace the word at `offset` atomically, which a put does not guarantee.
  void notify(std::size_t offset, const std::uint64_t& value);
  /// Waits until all operations that were begun here are complete at the peer.
  void flush();

 private:
  /// MPI counts bytes by int, so longer transfers are split.
  static constexpr std::size_t piece = std::size_t{1} << 30;

  MPI_Aint at(std::size_t offset) const { return static_cast<MPI_Aint>(begin_ + offset); }
  void put_piece(std::size_t offset, const std::byte* source, std::size_t bytes) {
    const int count = static_cast<int>(bytes);
    check_mpi(MPI_Put(source, count, MPI_BYTE, rank_, at(offset), count, MPI_BYTE, window_),
              "MPI_Put");
  }
  void put_pieces(std::size_t offset, const std::byte* source, std::size_t bytes);

  MPI_Win window_;
  int rank_;
  std::size_t begin_ = 0;
};

}  // namespace sterna::comm::rma

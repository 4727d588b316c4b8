#include "comm/transport/rma/remote_memory.hpp"

#include <algorithm>

#include "comm/context/mpi_error.hpp"

namespace sterna::comm::rma {

void RemoteMemory::put_pieces(std::size_t offset, const std::byte* source, std::size_t bytes) {
  for (; bytes > piece; offset += piece, source += piece, bytes -= piece) {
    put_piece(offset, source, piece);
  }
  if (bytes > 0) put_piece(offset, source, bytes);
}

void RemoteMemory::get(std::size_t offset, std::byte* target, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t now = std::min(bytes, piece);
    check_mpi(MPI_Get(target, static_cast<int>(now), MPI_BYTE, rank_, at(offset),
                      static_cast<int>(now), MPI_BYTE, window_),
              "MPI_Get");
    target += now;
    offset += now;
    bytes -= now;
  }
}

void RemoteMemory::fetch_add(std::size_t offset, const std::uint64_t& value,
                             std::uint64_t& before) {
  check_mpi(MPI_Fetch_and_op(&value, &before, MPI_UINT64_T, rank_, at(offset), MPI_SUM, window_),
            "MPI_Fetch_and_op");
}

void RemoteMemory::notify(std::size_t offset, const std::uint64_t& value) {
  check_mpi(MPI_Accumulate(&value, 1, MPI_UINT64_T, rank_, at(offset), 1, MPI_UINT64_T, MPI_REPLACE,
                           window_),
            "MPI_Accumulate");
}

void RemoteMemory::flush() {
  check_mpi(MPI_Win_flush(rank_, window_), "MPI_Win_flush");
}

}  // namespace sterna::comm::rma

#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "comm/context/byte_block.hpp"
#include "comm/context/mpi_error.hpp"

namespace sterna::comm::two_sided {

/// Another rank as the target and source of the messages with one tag.
class Peer {
 public:
  Peer(MPI_Comm communicator, int rank, int tag)
      : communicator_(communicator), rank_(rank), tag_(tag) {}

  void send(std::span<const std::byte> message, MPI_Request& request) const {
    const ByteBlock block(message.size());
    check_mpi(MPI_Isend(message.data(), block.count(), block.type(), rank_, tag_, communicator_,
                        &request),
              "send");
  }
  /// The message must not be longer than `target`.
  void receive(std::span<std::byte> target, MPI_Request& request) const {
    const ByteBlock block(target.size());
    check_mpi(
        MPI_Irecv(target.data(), block.count(), block.type(), rank_, tag_, communicator_, &request),
        "receive");
  }

 private:
  MPI_Comm communicator_;
  int rank_;
  int tag_;
};

}  // namespace sterna::comm::two_sided

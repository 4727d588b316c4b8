#include "comm/transport/two_sided/peer.hpp"

namespace sterna::comm::two_sided {

void Peer::send_synchronous(std::span<const std::byte> message, MPI_Request& request) const {
  const ByteBlock block(message.size());
  check_mpi(
      MPI_Issend(message.data(), block.count(), block.type(), rank_, tag_, communicator_, &request),
      "synchronous send");
}

void Peer::send_init(std::span<const std::byte> message, bool synchronous,
                     MPI_Request& request) const {
  const ByteBlock block(message.size());
  const auto init = synchronous ? MPI_Ssend_init : MPI_Send_init;
  check_mpi(init(message.data(), block.count(), block.type(), rank_, tag_, communicator_, &request),
            "setting up a send");
}

void Peer::receive_init(std::span<std::byte> room, MPI_Request& request) const {
  const ByteBlock block(room.size());
  check_mpi(
      MPI_Recv_init(room.data(), block.count(), block.type(), rank_, tag_, communicator_, &request),
      "setting up a receive");
}

}  // namespace sterna::comm::two_sided

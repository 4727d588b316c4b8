#include "comm/transport/two_sided/peer.hpp"

#include <fmt/format.h>

#include <limits>

#include "comm/context/mpi_error.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::two_sided {
namespace {

int checked_count(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(fmt::format("a message of {} items; MPI counts to {}", count,
                            std::numeric_limits<int>::max()));
  }
  return static_cast<int>(count);
}

}  // namespace

ItemType::ItemType(std::size_t bytes) {
  check_mpi(MPI_Type_contiguous(checked_count(bytes), MPI_BYTE, &type_), "item type");
  check_mpi(MPI_Type_commit(&type_), "item type");
}

ItemType::~ItemType() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Type_free(&type_);
}

void Peer::send(const void* items, std::size_t count, MPI_Datatype type,
                MPI_Request& request) const {
  check_mpi(MPI_Isend(items, checked_count(count), type, rank_, tag_, communicator_, &request),
            "send");
}

void Peer::send_synchronous(const void* items, std::size_t count, MPI_Datatype type,
                            MPI_Request& request) const {
  check_mpi(MPI_Issend(items, checked_count(count), type, rank_, tag_, communicator_, &request),
            "synchronous send");
}

void Peer::receive(void* items, std::size_t capacity, MPI_Datatype type,
                   MPI_Request& request) const {
  check_mpi(MPI_Irecv(items, checked_count(capacity), type, rank_, tag_, communicator_, &request),
            "receive");
}

void Peer::send_init(const void* items, std::size_t count, MPI_Datatype type, bool synchronous,
                     MPI_Request& request) const {
  const auto init = synchronous ? MPI_Ssend_init : MPI_Send_init;
  check_mpi(init(items, checked_count(count), type, rank_, tag_, communicator_, &request),
            "setting up a send");
}

void Peer::receive_init(void* items, std::size_t capacity, MPI_Datatype type,
                        MPI_Request& request) const {
  check_mpi(
      MPI_Recv_init(items, checked_count(capacity), type, rank_, tag_, communicator_, &request),
      "setting up a receive");
}

}  // namespace sterna::comm::two_sided

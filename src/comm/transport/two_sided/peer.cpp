#include "comm/transport/two_sided/peer.hpp"

#include <fmt/format.h>

#include "sterna/comm/error.hpp"

namespace sterna::comm::two_sided {
namespace {

MPI_Datatype largest_word_in(std::size_t bytes) {
  if (bytes % 8 == 0) return MPI_UINT64_T;
  return bytes % 4 == 0 ? MPI_UINT32_T : MPI_BYTE;
}

std::size_t words_in(std::size_t bytes) {
  return bytes % 8 == 0 ? bytes / 8 : bytes % 4 == 0 ? bytes / 4 : bytes;
}

}  // namespace

void throw_too_many(std::size_t count) {
  throw Error(fmt::format("a message of {} items; MPI counts to {}", count, largest_count));
}

ItemType::ItemType(std::size_t bytes)
    : word_(largest_word_in(bytes)),
      words_(words_in(bytes)),
      most_in_words_(largest_count / words_) {
  check_mpi(MPI_Type_contiguous(checked_count(words_), word_, &derived_), "item type");
  check_mpi(MPI_Type_commit(&derived_), "item type");
}

ItemType::~ItemType() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Type_free(&derived_);
}

void Peer::send_synchronous(const void* items, std::size_t count, MPI_Datatype type,
                            MPI_Request& request) const {
  check_mpi(MPI_Issend(items, checked_count(count), type, rank_, tag_, communicator_, &request),
            "synchronous send");
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

#include "comm/transport/two_sided/peer.hpp"

#include <fmt/format.h>

#include <limits>

#include "comm/context/mpi_error.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::two_sided {
namespace {

constexpr std::size_t largest_count = std::numeric_limits<int>::max();

int checked_count(std::size_t count) {
  if (count > largest_count) {
    throw Error(fmt::format("a message of {} items; MPI counts to {}", count, largest_count));
  }
  return static_cast<int>(count);
}

MPI_Datatype largest_word_in(std::size_t bytes) {
  if (bytes % 8 == 0) return MPI_UINT64_T;
  return bytes % 4 == 0 ? MPI_UINT32_T : MPI_BYTE;
}

std::size_t words_in(std::size_t bytes) {
  return bytes % 8 == 0 ? bytes / 8 : bytes % 4 == 0 ? bytes / 4 : bytes;
}

}  // namespace

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

ItemType::Sequence ItemType::sequence(std::size_t count) const {
  if (in_words(count)) return {word_, count * words_};
  return {derived_, count};
}

std::size_t ItemType::received(const MPI_Status& status, std::size_t capacity) const {
  int count = 0;
  MPI_Get_count(&status, in_words(capacity) ? word_ : derived_, &count);
  return static_cast<std::size_t>(count) / (in_words(capacity) ? words_ : 1);
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

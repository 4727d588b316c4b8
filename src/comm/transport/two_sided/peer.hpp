#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>

#include "comm/context/mpi_error.hpp"

namespace sterna::comm::two_sided {

constexpr std::size_t largest_count = std::numeric_limits<int>::max();

[[noreturn, gnu::cold]] void throw_too_many(std::size_t count);

/// As MPI takes it.
inline int checked_count(std::size_t count) {
  if (count > largest_count) throw_too_many(count);
  return static_cast<int>(count);
}

/// Items of some bytes as MPI is told of them: as words where their number can be counted, since a
/// predefined type is less work for MPI; beyond that as a derived type, of which there can be 2^31.
class ItemType {
 public:
  explicit ItemType(std::size_t bytes);
  ~ItemType();
  ItemType(const ItemType&) = delete;
  ItemType& operator=(const ItemType&) = delete;

  struct Sequence {
    MPI_Datatype type;
    std::size_t count;  ///< of that type
  };
  /// `count` items.
  Sequence sequence(std::size_t count) const {
    if (in_words(count)) return {word_, count * words_};
    return {derived_, count};
  }
  /// How many items a message has that was received as `sequence(capacity)`.
  std::size_t received(const MPI_Status& status, std::size_t capacity) const {
    const bool words = in_words(capacity);
    int count = 0;
    MPI_Get_count(&status, words ? word_ : derived_, &count);
    return static_cast<std::size_t>(count) / (words ? words_ : 1);
  }

 private:
  bool in_words(std::size_t count) const { return count <= most_in_words_; }
  MPI_Datatype word_;
  std::size_t words_;  ///< in an item
  std::size_t most_in_words_;
  MPI_Datatype derived_ = MPI_DATATYPE_NULL;
};

/// Another rank as the target and source of the messages with one tag.
class Peer {
 public:
  Peer(MPI_Comm communicator, int rank, int tag)
      : communicator_(communicator), rank_(rank), tag_(tag) {}

  void send(const void* items, std::size_t count, MPI_Datatype type, MPI_Request& request) const {
    check_mpi(MPI_Isend(items, checked_count(count), type, rank_, tag_, communicator_, &request),
              "send");
  }
  /// Completes only once the receiver has begun to receive: a bound on how far ahead a sender
  /// that never hears back can run.
  void send_synchronous(const void* items, std::size_t count, MPI_Datatype type,
                        MPI_Request& request) const;
  /// `capacity`: the most that may come.
  void receive(void* items, std::size_t capacity, MPI_Datatype type, MPI_Request& request) const {
    check_mpi(MPI_Irecv(items, checked_count(capacity), type, rank_, tag_, communicator_, &request),
              "receive");
  }
  /// The same, set up once, for MPI_Start in each round.
  void send_init(const void* items, std::size_t count, MPI_Datatype type, bool synchronous,
                 MPI_Request& request) const;
  void receive_init(void* items, std::size_t capacity, MPI_Datatype type,
                    MPI_Request& request) const;

 private:
  MPI_Comm communicator_;
  int rank_;
  int tag_;
};

}  // namespace sterna::comm::two_sided

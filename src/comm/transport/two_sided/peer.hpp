#pragma once

#include <mpi.h>

#include <cstddef>

namespace sterna::comm::two_sided {

/// A derived type of `bytes` bytes, so that counts are items and 2^31 of them fit a message.
class ItemType {
 public:
  explicit ItemType(std::size_t bytes);
  ~ItemType();
  ItemType(const ItemType&) = delete;
  ItemType& operator=(const ItemType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Another rank as the target and source of the messages with one tag.
class Peer {
 public:
  Peer(MPI_Comm communicator, int rank, int tag)
      : communicator_(communicator), rank_(rank), tag_(tag) {}

  void send(const void* items, std::size_t count, MPI_Datatype type, MPI_Request& request) const;
  /// Completes only once the receiver has begun to receive: a bound on how far ahead a sender
  /// that never hears back can run.
  void send_synchronous(const void* items, std::size_t count, MPI_Datatype type,
                        MPI_Request& request) const;
  /// `capacity`: the most items that may come.
  void receive(void* items, std::size_t capacity, MPI_Datatype type, MPI_Request& request) const;
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

#pragma once

#include <mpi.h>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// A barrier that can be polled: log2(ranks) rounds of one-byte messages over distances 1, 2, 4,
/// ... (Hensgen, Finkel, Manber 1988). It replaces MPI_Ibarrier, which cannot say whom it waits for
/// and has hung in several MPI libraries (Open MPI issue 11052, after about 2^24 calls; MPICH issue
/// 1785). Consecutive barriers may share the tag: a source takes part in one step only, and MPI
/// keeps the order of its messages. A flag that any rank raises is seen by all.
class DisseminationBarrier {
 public:
  DisseminationBarrier(const Context& context, int tag);
  DisseminationBarrier(const DisseminationBarrier&) = delete;
  DisseminationBarrier& operator=(const DisseminationBarrier&) = delete;

  /// Declares that this rank has arrived.
  void enter(bool flag = false);
  bool entered() const { return distance_ > 0; }
  /// Returns true once every rank has entered; then the next barrier may begin.
  bool test();
  /// True if a rank has raised its flag; valid after `test`.
  bool flag() const { return flag_ != 0; }
  /// The rank whose message is awaited.
  int late_peer() const;

 private:
  void step();

  MPI_Comm communicator_;
  int rank_;
  int size_;
  int tag_;
  int distance_ = 0;  ///< distance of the step in progress, 0 between barriers
  char flag_ = 0;
  char incoming_ = 0;
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace sterna::comm

#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace sterna::comm {

/// Requests in flight, each with the peer it belongs to, so that a wait can say who is late.
class RequestList {
 public:
  /// Where the next MPI call puts its request; valid until the next `add`.
  MPI_Request* add(int peer);
  /// True once all are complete; then the list is empty again.
  bool test();
  /// Peers of the requests that are not complete, ascending.
  std::vector<int> late_peers();
  bool empty() const { return requests_.empty(); }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<int> peers_;
  std::size_t complete_ = 0;  ///< all before it are
};

}  // namespace sterna::comm

#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace sterna::comm {

/// Requests under way, each with its peer, so that a wait can name the late peers.
class RequestList {
 public:
  /// Returns the address for the next MPI call's request; valid until the next `add`.
  MPI_Request* add(int peer);
  /// True once all requests are complete; then the list is empty again.
  bool test();
  /// The peers of incomplete requests, ascending.
  std::vector<int> late_peers();
  bool empty() const { return requests_.empty(); }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<int> peers_;
  std::size_t complete_ = 0;  ///< number of requests that are complete, from the first one on
};

}  // namespace sterna::comm

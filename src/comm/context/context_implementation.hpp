#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sterna/comm/context.hpp"

namespace sterna::comm {

/// What the transports and methods see of a context.
class Context::Implementation {
 public:
  MPI_Comm communicator = MPI_COMM_NULL;  ///< private duplicate, errors return
  int rank = 0;
  int size = 0;
  ContextOptions options;
  std::vector<int> node_of;
  std::vector<int> ranks_on_node;
  std::vector<Transport> transports;
  std::function<void()> idle_hook;

  /// A tag range that no other object of this context uses; collective in effect, since all ranks
  /// make their objects in the same order.
  int reserve_tags(int count);
};

}  // namespace sterna::comm

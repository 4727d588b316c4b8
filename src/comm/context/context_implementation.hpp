#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/context/collective_objects.hpp"
#include "comm/context/process.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::comm {

struct ExchangeTiming;

/// The part of a context that transports and methods see.
class Context::Implementation {
 public:
  /// Takes over `owned` (may be MPI_COMM_NULL for an invalid context). Collective.
  Implementation(MPI_Comm owned, ContextOptions options);
  ~Implementation();
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  MPI_Comm communicator = MPI_COMM_NULL;  ///< a private duplicate whose errors return
  int rank = 0;
  int size = 0;
  ContextOptions options;
  std::vector<int> node_of;
  int node_count = 0;
  std::vector<int> ranks_on_node;
  std::vector<Process> processes_on_node;  ///< in the order of `ranks_on_node`
  std::vector<Transport> transports;
  std::function<void()> idle_hook;
  bool shares_cores = false;  ///< true if this node has more ranks than cores
  /// The number of checks of a condition before a wait begins to yield the core. If ranks share
  /// cores, the awaited rank may need this very core, so each further check only delays it.
  int polls_of_memory = 1000;
  int polls_of_messages = 1000;
  double processor_seconds_waited = 0.0;
  /// True after a wait has thrown. Peers may be gone, so no call may wait for them any more, not
  /// even to free shared memory.
  bool failed = false;
  /// True if peers may need this rank's help to complete their puts: it then stays until all have
  /// ended.
  bool rdma_in_use = false;
  /// The objects that the ranks end collectively. They refer to the members above.
  CollectiveObjects collective_objects;
  /// The sums of waiting and communication, if they are measured; owned by comm/tune.
  ExchangeTiming* exchange_timing = nullptr;
  /// True if measuring is the purpose: `auto` then tries the methods without asking whether that
  /// pays.
  bool race_at_once = false;
  /// The measurements of this context's exchanges, for later ones; owned by comm/tune.
  std::shared_ptr<void> tuning_memory;
  /// The exchanges of `exchange` calls, by the size of their items (sterna/comm/exchange.hpp). They
  /// also refer to the members above.
  std::map<std::size_t, std::shared_ptr<void>> one_call_exchanges;
  /// True if this rank may still wait for others when an object ends: not after a failure, not
  /// while an exception is propagating, and not after MPI has ended.
  bool can_wait() const;
  static bool mpi_has_ended();
  /// Returns a context that shares this implementation without owning it, for objects that the
  /// context itself owns and outlives.
  static Context unowned(const Context& context);
  /// Keeps memory that others may still write to after a failure, until the process ends.
  void keep_until_exit(std::shared_ptr<void> memory);

  /// Returns the first of a range of tags that no other object of this context uses. All ranks make
  /// their objects in the same order, so they get the same tags. After the last tag it starts again
  /// at the lowest: the objects that had those tags ended long before.
  int reserve_tags(int count);

 private:
  void find_nodes();
  void find_transports(const std::string& why_no_shm);
  int next_tag_ = 0;
  int highest_tag_ = 32767;
};

/// Returns the communicator at `address`. Throws Error if there is none, or if `address` is itself
/// a communicator.
MPI_Comm communicator_at(const void* address);

}  // namespace sterna::comm

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

/// What the transports and methods see of a context.
class Context::Implementation {
 public:
  /// Takes over `owned` (may be MPI_COMM_NULL: an invalid context). Collective.
  Implementation(MPI_Comm owned, ContextOptions options);
  ~Implementation();
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  MPI_Comm communicator = MPI_COMM_NULL;  ///< private duplicate, errors return
  int rank = 0;
  int size = 0;
  ContextOptions options;
  std::vector<int> node_of;
  int node_count = 0;
  std::vector<int> ranks_on_node;
  std::vector<Process> processes_on_node;  ///< in the order of `ranks_on_node`
  std::vector<Transport> transports;
  std::function<void()> idle_hook;
  bool shares_cores = false;  ///< this node has more ranks than cores
  /// Checks of a condition before a wait begins to yield the core. Where ranks share cores the one
  /// waited for may need this very core: each further look at memory only delays it.
  int polls_of_memory = 1000;
  int polls_of_messages = 1000;
  double processor_seconds_waited = 0.0;
  /// A wait has thrown: peers may be gone, so nothing may wait for them any more, not even to
  /// free what they share with us.
  bool failed = false;
  /// Peers may need this rank's help to complete their puts: it stays until all are here.
  bool rdma_in_use = false;
  /// Objects that the ranks end collectively. They refer to the members above.
  CollectiveObjects collective_objects;
  /// Where waiting and communication are told apart; kept by comm/memory.
  ExchangeTiming* exchange_timing = nullptr;
  /// Where measuring is the purpose: `auto` tries the methods without asking whether that pays.
  bool race_at_once = false;
  /// What exchanges of this context have measured, for later ones; kept by comm/tune.
  std::shared_ptr<void> tuning_memory;
  /// Those of one call, by the size of their items (sterna/comm/exchange.hpp). They refer to the
  /// members above, too.
  std::map<std::size_t, std::shared_ptr<void>> one_call_exchanges;
  /// Whether this rank may still wait for others: at the end of an object. Not after a failure, not
  /// while an exception is on its way, and not when MPI has ended.
  bool can_wait() const;
  static bool mpi_has_ended();
  /// The same context for what it owns itself, and so outlives.
  static Context unowned(const Context& context);
  /// Memory that somebody may still write to after a failure; lives as long as the process.
  void keep_until_exit(std::shared_ptr<void> memory);

  /// A tag range that no other object of this context uses; collective in effect, since all ranks
  /// make their objects in the same order. Starts again at the lowest when the tags are used up:
  /// by then the objects that had those are long gone.
  int reserve_tags(int count);

 private:
  void find_nodes();
  void find_transports(const std::string& why_no_shm);
  int next_tag_ = 0;
  int highest_tag_ = 32767;
};

/// The communicator that lies at `address`. Throws Error where that is none, or a communicator itself.
MPI_Comm communicator_at(const void* address);

}  // namespace sterna::comm

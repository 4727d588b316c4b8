#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sterna/comm/seconds.hpp"

namespace sterna::comm {

/// How exchanges whose method is "auto" find the fastest one.
struct TuningOptions {
  /// True: the methods are measured in the rounds of the exchange. False: a rule picks one.
  bool enabled = true;
  /// The file that keeps the measurements for later runs. Empty: $STERNA_MACHINE_FILE, or else
  /// sterna/machine.json in the user's cache folder. "none": no file. Rank 0 reads and writes it.
  std::string machine_file = {};
  /// True: new exchanges begin with the results in the file and of earlier exchanges of the
  /// context.
  bool reuse = true;
};

struct ContextOptions {
  /// The longest time that any wait may take. After it the wait ends the job with a message.
  Seconds timeout{300.0};
  TuningOptions tuning = {};
};

/// A group of ranks, with what is known of the machine they run on: a private duplicate of the
/// communicator, the nodes, and the transports that work here. Every object of the library is made
/// from a context, collectively over its ranks, in the same order on all of them.
class Context {
 public:
  /// Makes a context of all ranks of the job.
  explicit Context(ContextOptions options = {});
  /// Makes a context of the ranks of a communicator of the calling program, which is duplicated.
  /// The `MPI_Comm` is passed by address, so that this header does not need `mpi.h`.
  static Context from_communicator(const void* mpi_communicator, ContextOptions options = {});

  int rank() const;
  int size() const;
  /// The index of the node that `rank` runs on; nodes are numbered by their lowest rank.
  int node_of(int rank) const;
  int node_count() const;
  /// The ranks of this rank's node, in ascending order.
  std::span<const int> ranks_on_node() const;
  bool on_my_node(int rank) const { return node_of(rank) == node_of(this->rank()); }

  /// Makes a context of the ranks that give the same `color`, ordered by their rank here.
  /// Collective. With a negative color the result is not `valid()` and may only be destroyed.
  Context split(int color) const;
  bool valid() const;

  /// The versions of the communication libraries: "Open MPI 5.0.11, UCX 1.22.0".
  std::string description() const;

  /// A transport by name, whether it works here, and the reason if it does not.
  struct Transport {
    std::string_view name;
    bool available;
    std::string reason;
  };
  std::span<const Transport> transports() const;

  /// Sets the timeout of all waits that begin from now on, in all objects made from this context.
  void set_timeout(Seconds timeout) const;

  /// Processor seconds that this rank has spent waiting for other ranks so far. A caller subtracts
  /// them from its processor time to know how long it has computed.
  double processor_seconds_waited() const;

  /// Sets the tuning of all exchanges made from now on. All ranks must give the same options.
  void set_tuning(const TuningOptions& tuning) const;

  /// Sets a function that every wait calls about every 10 ms, if it takes longer than a moment. The
  /// function may throw to end the wait. The engine uses it to notice signals.
  void on_idle(std::function<void()> hook) const;

  class Implementation;
  Implementation& implementation() const { return *implementation_; }

 private:
  explicit Context(std::shared_ptr<Implementation> implementation);
  std::shared_ptr<Implementation> implementation_;
};

}  // namespace sterna::comm

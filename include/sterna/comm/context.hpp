#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sterna::comm {

/// How exchanges whose method is "auto" find the fastest one.
struct TuningOptions {
  /// Measure the methods in the rounds of the exchange; otherwise one is picked by rule.
  bool enabled = true;
  /// Keeps what was measured, so that later runs need not begin at nothing. Empty:
  /// $STERNA_MACHINE_FILE, otherwise sterna/machine.json in the user's cache folder. "none": no
  /// file. Rank 0 reads and writes it.
  std::string machine_file = {};
  /// Begin with what the file and earlier exchanges of the context found.
  bool reuse = true;
};

struct ContextOptions {
  /// Longest time that any wait may take before it ends the job with a message.
  std::chrono::duration<double> timeout{300.0};
  TuningOptions tuning = {};
};

/// A group of ranks and what was learnt of the machine they run on: a private duplicate of the
/// communicator, the nodes, and the transports that work here. Every object of the library is
/// made from a context, collectively over its ranks, in the same order on all of them.
class Context {
 public:
  /// All ranks of the job.
  explicit Context(ContextOptions options = {});
  /// The ranks of a communicator of the calling program (a `MPI_Comm`, passed by address so that
  /// this header does not need `mpi.h`); it is duplicated.
  static Context from_communicator(const void* mpi_communicator, ContextOptions options = {});

  int rank() const;
  int size() const;
  /// Index of the node that `rank` runs on, nodes numbered by their lowest rank.
  int node_of(int rank) const;
  int node_count() const;
  /// Ranks of this rank's node, ascending.
  std::span<const int> ranks_on_node() const;
  bool on_my_node(int rank) const { return node_of(rank) == node_of(this->rank()); }

  /// The ranks with `color`, ordered by their rank here. Collective. A negative color returns a
  /// context that must not be used other than destroyed (`valid()` is false).
  Context split(int color) const;
  bool valid() const;

  /// Versions of what carries the bytes: "Open MPI 5.0.11, UCX 1.22.0".
  std::string description() const;

  /// What is known of the transports: name, whether it works here, and if not the reason.
  struct Transport {
    std::string_view name;
    bool available;
    std::string reason;
  };
  std::span<const Transport> transports() const;

  /// Of all waits that begin from now on, in all objects made from this context.
  void set_timeout(std::chrono::duration<double> timeout) const;

  /// Seconds of the processor that this rank has spent waiting for others so far: what it must take
  /// off its processor's time to know how long it has computed.
  double processor_seconds_waited() const;

  /// Of all exchanges that are made from now on. The same on all ranks.
  void set_tuning(const TuningOptions& tuning) const;

  /// Called inside every wait that takes longer than a moment (about every 10 ms); may throw to
  /// give the wait up. The engine uses it to see signals while it waits.
  void on_idle(std::function<void()> hook) const;

  class Implementation;
  Implementation& implementation() const { return *implementation_; }

 private:
  explicit Context(std::shared_ptr<Implementation> implementation);
  std::shared_ptr<Implementation> implementation_;
};

}  // namespace sterna::comm

#pragma once

#include <memory>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"

namespace sterna::python {

class Simulation;

/// The part of this process in a job: MPI, from the first simulation to the end of the interpreter.
/// Importing the module starts nothing.
class Job {
 public:
  static Job& of_process();

  /// All ranks of the job; the first call starts MPI, unless mpi4py has. Collective. Throws
  /// comm::Error after `end`.
  std::shared_ptr<comm::Context> world();
  /// Those of a communicator of mpi4py, an MPI_Comm at this address. Collective over them.
  std::shared_ptr<comm::Context> of_communicator(const void* communicator);
  /// This rank and how many there are, as far as is known; {0, 0} before the first of both.
  struct Place {
    int rank = 0, ranks = 0;
  };
  Place place() const { return place_; }

  /// Simulations that live. They end before MPI does, whoever still holds them.
  void add(Simulation& simulation);
  void remove(Simulation& simulation);

  /// Collective. Ends the simulations and MPI.
  void end();

 private:
  Job() = default;

  std::unique_ptr<comm::Environment> environment_;
  std::shared_ptr<comm::Context> world_;
  /// Ranks end a context together, and Python drops objects on each rank when it likes: contexts
  /// live until `end`.
  std::vector<std::shared_ptr<comm::Context>> contexts_;
  Place place_;
  std::vector<Simulation*> simulations_;  ///< in the order of making, the same on all ranks
  bool ended_ = false;
};

}  // namespace sterna::python

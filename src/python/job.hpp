#pragma once

#include <memory>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"

namespace sterna::python {

/// What lives in a job and must not outlive it.
class Ending {
 public:
  virtual ~Ending() = default;
  /// Collective. Frees all that needs the other ranks.
  virtual void close() = 0;
};

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

  /// A group of its own with the ranks of `whole`, whose waits see signals of Python. Collective.
  std::shared_ptr<comm::Context> duplicate_of(const comm::Context& whole);

  /// What lives. It ends before MPI does, whoever still holds it.
  void add(Ending& ending);
  void remove(Ending& ending);

  /// Collective. Ends what lives, and MPI.
  void end();

 private:
  Job() = default;

  std::unique_ptr<comm::Environment> environment_;
  std::shared_ptr<comm::Context> world_;
  /// Ranks end a context together, and Python drops objects on each rank when it likes: contexts
  /// live until `end`.
  std::vector<std::shared_ptr<comm::Context>> contexts_;
  Place place_;
  std::vector<Ending*> living_;  ///< in the order of making, the same on all ranks
  bool ended_ = false;
};

}  // namespace sterna::python

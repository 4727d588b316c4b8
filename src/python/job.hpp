#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"

namespace sterna::python {

/// An object that lives in a job and must be closed before the job ends.
class Ending {
 public:
  virtual ~Ending() = default;
  /// Collective. Frees all resources that need other ranks.
  virtual void close() = 0;
};

/// This process's part of a job: MPI, from the first simulation to the end of the interpreter.
/// Importing the module does not start it.
class Job {
 public:
  static Job& of_process();

  /// Collective. The context of all ranks of the job. The first call starts MPI, unless mpi4py has
  /// started it. Throws comm::Error after `end`.
  std::shared_ptr<comm::Context> world();
  /// Collective over its ranks. The context of a communicator of mpi4py, which is an MPI_Comm at
  /// this address.
  std::shared_ptr<comm::Context> of_communicator(const void* communicator);
  /// This rank and the number of ranks, as far as they are known; {0, 0} before the first context
  /// is made.
  struct Place {
    int rank = 0, ranks = 0;
  };
  Place place() const { return place_; }

  /// Collective. A context of its own with the ranks of `whole`, whose waits react to signals of
  /// Python.
  std::shared_ptr<comm::Context> duplicate_of(const comm::Context& whole);

  /// Registers an object that is closed before MPI ends, even if Python still holds it. The GIL
  /// must be held.
  void add(Ending& ending);
  void remove(Ending& ending);

  /// Collective. Closes all registered objects and ends MPI. If another thread is in a run, the run
  /// is stopped first; if it does not stop, nothing is closed.
  void end();
  /// Whether `end` has been called.
  bool ends() const { return ended_; }

  /// Whether another thread is in a call. The GIL must be held.
  bool is_used_elsewhere() const { return depth_ > 0 && user_ != std::this_thread::get_id(); }
  /// Keeps an object that was dropped while another thread is in a call, because the call may use
  /// the same memory, until no thread is in one. The GIL must be held.
  void keep_until_unused(std::shared_ptr<void> dropped) { dropped_.push_back(std::move(dropped)); }

 private:
  friend class Turn;
  Job() = default;

  std::unique_ptr<comm::Environment> environment_;
  std::shared_ptr<comm::Context> world_;
  /// Contexts live until `end`, because all ranks must end a context together, while Python drops
  /// objects on each rank at any time.
  std::vector<std::shared_ptr<comm::Context>> contexts_;
  Place place_;
  std::vector<Ending*> living_;  ///< in the order of creation, the same on all ranks
  std::atomic<bool> ended_ = false;
  std::thread::id ending_thread_;  ///< the one that called `end`, read only where `ended_`
  // Data of the thread that is in a call, changed only while the GIL is held:
  int depth_ = 0;
  std::thread::id user_;
  std::string call_;
  std::vector<std::shared_ptr<void>> dropped_;
};

/// While it lives, this thread is in a call into the engine. MPI, shared contexts and the engine
/// serve one thread at a time, and calls release the GIL while they compute. So a second thread
/// gets an error instead of waiting, because the first may wait for it in a callback. Nested calls
/// of the same thread, from its callbacks, are allowed. It must be made and destroyed while the GIL
/// is held.
class Turn {
 public:
  Turn() : Turn("") {}
  /// `call`: the call's name, for the error in another thread. Throws comm::Error if another thread
  /// is in a call.
  explicit Turn(const std::string& call);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  static void halt_if_job_ends();
};

}  // namespace sterna::python

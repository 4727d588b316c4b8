#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
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

  /// What lives. It ends before MPI does, whoever still holds it. The GIL must be held.
  void add(Ending& ending);
  void remove(Ending& ending);

  /// Collective. Ends what lives, and MPI. A run that another thread is in is stopped before; where
  /// it does not stop, all is left as it is.
  void end();
  /// Whether `end` has been called.
  bool ends() const { return ended_; }

  /// Whether another thread than this one is in a call. The GIL must be held.
  bool is_used_elsewhere() const { return depth_ > 0 && user_ != std::this_thread::get_id(); }
  /// Keeps what was dropped while another thread is in a call, which may use the same memory, until
  /// no thread is in one. The GIL must be held.
  void keep_until_unused(std::shared_ptr<void> dropped) { dropped_.push_back(std::move(dropped)); }

 private:
  friend class Turn;
  Job() = default;

  std::unique_ptr<comm::Environment> environment_;
  std::shared_ptr<comm::Context> world_;
  /// Ranks end a context together, and Python drops objects on each rank when it likes: contexts
  /// live until `end`.
  std::vector<std::shared_ptr<comm::Context>> contexts_;
  Place place_;
  std::vector<Ending*> living_;  ///< in the order of making, the same on all ranks
  std::atomic<bool> ended_ = false;
  // Of the thread that is in a call; changed with the GIL held.
  int depth_ = 0;
  std::thread::id user_;
  std::string call_;
  std::vector<std::shared_ptr<void>> dropped_;
};

/// A call of this thread into the engine, for as long as it lives. MPI, the contexts that
/// simulations share and the engine serve one thread at a time, and calls give the GIL back while
/// they compute: so a second thread is refused rather than made to wait, as the first one may wait
/// for it in a callback. Calls inside of a call of the same thread, from its callbacks, are allowed.
/// Made and destroyed with the GIL held.
class Turn {
 public:
  Turn() : Turn("") {}
  /// `call`: for the message that another thread gets. Throws comm::Error where another thread is in
  /// a call.
  explicit Turn(const std::string& call);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

}  // namespace sterna::python

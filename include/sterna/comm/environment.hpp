#pragma once

#include <memory>
#include <string>

#include "sterna/comm/seconds.hpp"

namespace sterna::comm {

struct EnvironmentOptions {
  /// The longest time that a rank may wait for others while message passing starts or ends.
  Seconds timeout{300.0};
  /// The network interface that TCP uses between nodes, such as "eth0". Empty: MPI and UCX choose.
  /// Runs on one node use no network.
  std::string interface = {};
};

/// Owns the life of the message-passing system: construct it first in `main` and destroy it last. A
/// process that was not started by a launcher becomes a job of one rank. If the program, such as
/// Python with mpi4py, has started MPI already, the environment joins it and does not end it.
///
/// Settings of MPI and UCX in the process's environment are left as they are. If all ranks run on
/// one node, the environment sets the others so that no rank listens on a network.
class Environment {
 public:
  /// Ends the job with a message if MPI does not start within the timeout. It also ends the job if
  /// the launcher's variables name more ranks than MPI found, because the launcher is then that of
  /// another MPI.
  Environment(int& argc, char**& argv, const EnvironmentOptions& options = {});
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// Prints `message` to standard error and ends the job on all ranks with `exit_code`.
  [[noreturn]] static void abort(const std::string& message, int exit_code = 1);

 private:
  Seconds timeout_;
  bool joined_ = false;  ///< MPI was started before this object was made
  std::unique_ptr<class SessionFolder> folder_;
};

}  // namespace sterna::comm

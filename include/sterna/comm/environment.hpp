#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace sterna::comm {

struct EnvironmentOptions {
  /// Longest time that a rank may wait for others while message passing starts or ends.
  std::chrono::duration<double> timeout{300.0};
  /// The network interface that TCP uses between nodes, such as "eth0"; empty: those that MPI and
  /// UCX choose. On one node nothing uses a network.
  std::string interface = {};
};

/// Owns the life of the message-passing system: construct first in `main`, destroy last.
/// A process that was not started by a launcher becomes a job of one rank. Where the program, such
/// as Python with mpi4py, has started MPI already, the environment joins it, and does not end it.
///
/// Settings of MPI and UCX that stand in the process's environment are left as they are. Where all
/// ranks run on one node, the others are set so that no rank listens on a network.
class Environment {
 public:
  /// Ends the job with a message where MPI does not start within the timeout, and where the
  /// launcher's variables name more ranks than MPI found: the launcher is then that of another MPI.
  Environment(int& argc, char**& argv, const EnvironmentOptions& options = {});
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// Ends the job on all ranks with `exit_code`, after `message` went to standard error.
  [[noreturn]] static void abort(const std::string& message, int exit_code = 1);

 private:
  std::chrono::duration<double> timeout_;
  bool joined_ = false;  ///< MPI was there before
  std::unique_ptr<class SessionFolder> folder_;
};

}  // namespace sterna::comm

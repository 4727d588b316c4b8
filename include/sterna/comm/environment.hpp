#pragma once

#include <string>

namespace sterna::comm {

/// Owns the life of the message-passing system: construct first in `main`, destroy last.
/// A process that was not started by a launcher becomes a job of one rank.
class Environment {
 public:
  Environment(int& argc, char**& argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// Ends the job on all ranks with `exit_code`, after `message` went to standard error.
  [[noreturn]] static void abort(const std::string& message, int exit_code = 1);
};

}  // namespace sterna::comm

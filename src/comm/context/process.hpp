#pragma once

#include <cstdint>

namespace sterna::comm {

/// An operating-system process, as its neighbors on the node can recognize it again.
struct Process {
  std::int64_t id = 0;           ///< process number
  std::uint64_t start_time = 0;  ///< distinguishes a process from a later one with the same number
  std::uint64_t number_space = 0;  ///< the namespace in which the number is valid
  static Process self();
  static Process of(std::int64_t id);  ///< a living process in the namespace of this one
};

/// False where it is certain that `process` has ended (gone, or a zombie). True where it lives,
/// and where this process cannot know.
bool is_alive(const Process& process);

/// True where it is certain that `process` is stopped (SIGSTOP, Ctrl-Z, a debugger).
bool is_stopped(const Process& process);

}  // namespace sterna::comm

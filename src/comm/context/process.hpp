#pragma once

#include <cstdint>

namespace sterna::comm {

/// An operating-system process as its neighbors on the node can recognize it again.
struct Process {
  std::int64_t id = 0;             ///< process number
  std::uint64_t start_time = 0;    ///< tells a process from a later one of the same number
  std::uint64_t number_space = 0;  ///< numbers mean the same only within one such space
  static Process self();
  static Process of(std::int64_t id);  ///< one that lives, in this process's number space
};

/// False where it is certain that `process` has ended (gone, or a zombie). True where it lives,
/// and where this process cannot know.
bool is_alive(const Process& process);

/// True where it is certain that `process` is stopped (SIGSTOP, Ctrl-Z, a debugger).
bool is_stopped(const Process& process);

}  // namespace sterna::comm
